"""The valid range of an integer input that indexes a table."""

from collections.abc import Mapping, Sequence

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, consumers, data_inputs
from tfcarve.prepare.graph.messages import NodeDef

# Ops whose output has the values of these inputs; () for all inputs.
_PASSING: Mapping[str, Sequence[int]] = {
    "Cast": (0,),
    "ConcatV2": (),
    "ExpandDims": (0,),
    "Identity": (0,),
    "Pack": (),
    "Reshape": (0,),
    "Slice": (0,),
    "Snapshot": (0,),
    "Squeeze": (0,),
    "StopGradient": (0,),
    "StridedSlice": (0,),
    "Tile": (0,),
    "Transpose": (0,),
}
# Ops that index a tensor: the numbers of the input with indices and of the indexed input.
_PICKING: Mapping[str, tuple[int, int]] = {"Gather": (1, 0), "GatherV2": (1, 0)}

Outputs = Mapping[str, Sequence[Output]]


def _integer(node: NodeDef | None) -> int | None:
    """Returns the value of a Const with a single integer, else None."""
    if node is None or node.op != "Const":
        return None
    try:
        value = nodes.value(node)
    except InvalidInput:
        return None
    return int(value.reshape(-1)[0]) if value.size == 1 and value.dtype.kind in "iu" else None


def _limit(node: NodeDef, index: int, known: Mapping[str, NodeDef], outputs: Outputs) -> int | None:
    """Returns the exclusive upper bound of the input number `index` of a node, or None if it is unknown."""
    sources = data_inputs(node)
    if node.op == "OneHot" and index == 0:
        return _integer(known.get(sources[1].node))
    if node.op not in _PICKING or _PICKING[node.op][0] != index:
        return None
    table = sources[_PICKING[node.op][1]]
    axis = _integer(known.get(sources[2].node)) if node.op == "GatherV2" else 0
    shape = outputs[table.node][table.output].shape
    if shape is None or axis is None or not -len(shape) <= axis < len(shape):
        return None
    return shape[axis] if shape[axis] > 0 else None


def limit(graph: Graph, start: Ref, outputs: Outputs) -> int | None:
    """Returns the smallest N for which values of `start` must be in [0, N), or None if there is no such bound.

    Args:
      graph: the model.
      start: the input.
      outputs: the types and shapes that TensorFlow infers for each node.
    """
    known, users = by_name(graph), consumers(graph)
    found, seen, todo = set[int](), {start}, [start]
    while todo:
        source = todo.pop()
        for user in {node.name: node for node in users.get(source, ())}.values():
            for index in [i for i, text in enumerate(data_inputs(user)) if text == source]:
                limited = _limit(user, index, known, outputs)
                if limited is not None and limited > 0:
                    found.add(limited)
                passed = _PASSING.get(user.op)
                if passed is not None and (not passed or index in passed):
                    after = Ref(user.name)
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
    return min(found, default=None)
