"""Replaces shapes that do not depend on the model's inputs with constants."""

from collections.abc import Mapping, Sequence

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.freeze.computed import loaded
from tfcarve.prepare.freeze.nodes import constant
from tfcarve.prepare.freeze.ops import INT32, Ops
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef


def _dims(outputs: Mapping[str, Sequence[Output]], node: NodeDef) -> list[int | None] | None:
    """Returns the value of a Shape node, with None for unknown dimensions, or None if the rank is unknown."""
    source, port = parsed(node.input[0])
    shape = outputs[source][port].shape
    return None if shape is None else [None if size < 0 else size for size in shape]


def _mask(node: NodeDef, key: str) -> int:
    return node.attr[key].i if key in node.attr else 0


def _sliced(node: NodeDef, dims: list[int | None], trace: Trace) -> list[int | None] | None:
    """Returns the part of a shape that a StridedSlice takes, or None if it is not a plain slice with constants."""
    masks = ("begin_mask", "end_mask", "shrink_axis_mask", "ellipsis_mask", "new_axis_mask")
    begin_mask, end_mask, shrink, *others = (_mask(node, mask) for mask in masks)
    if any(others):
        return None
    try:
        begin, end, stride = (int(trace.value(node.input[i])[0]) for i in (1, 2, 3))
    except (InvalidInput, IndexError):
        return None
    if shrink & 1:
        in_range = -len(dims) <= begin < len(dims)
        return [dims[begin]] if in_range else None
    if not stride:
        return None
    return dims[None if begin_mask & 1 else begin : None if end_mask & 1 else end : stride]


def _value(node: NodeDef, dims: Sequence[int | None], is_scalar: bool, dtype: int) -> NodeDef:
    array = np.array(dims[0] if is_scalar else dims, tensors.numpy_type(dtype))
    return constant(node.name, array, ())


def with_known_shapes(nodes: Sequence[NodeDef], ops: Ops) -> list[NodeDef]:
    """Returns `nodes` with constants for each Shape, or StridedSlice of a Shape, with known dimensions.

    Raises InvalidInput if TensorFlow rejects the graph, for example because a node calls a function.
    """
    with loaded(ops.evaluator, nodes) as graph:
        outputs = graph.outputs()
    trace = Trace(nodes, ops)
    shapes = {node.name: _dims(outputs, node) for node in nodes if node.op == "Shape"}
    created = []
    for node in nodes:
        shape = trace.nodes.get(parsed(node.input[0])[0]) if node.input else None
        dims = shapes.get(node.name)
        if node.op == "StridedSlice" and shape is not None and shapes.get(shape.name) is not None:
            dims = _sliced(node, shapes[shape.name] or [], trace)
        if dims is not None and None not in dims and node.op in ("Shape", "StridedSlice"):
            is_slice = node.op == "StridedSlice"
            is_scalar = is_slice and bool(_mask(node, "shrink_axis_mask") & 1)
            dtype = node.attr["T" if is_slice else "out_type"].type or INT32
            created.append(_value(node, dims, is_scalar, dtype))
        else:
            created.append(node)
    return created
