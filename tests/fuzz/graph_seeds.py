"""Small graphs: each transform changes one of them."""

from __future__ import annotations

import numpy as np

from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, ref
from tfcarve.prepare.graph.messages import AttrValue, FunctionDef, FunctionDefLibrary, NodeDef
from tfcarve.prepare.graph.nodes import (
    constant,
    ints_value,
    make,
    shape_value,
    text_value,
    type_value,
)

_F, _I, _V = type_value(1), type_value(3), type_value(21)
_QUINT8, _QINT32 = type_value(12), type_value(13)
_NHWC, _NCHW, _ONES = text_value("NHWC"), text_value("NCHW"), ints_value([1] * 4)
_SAME, _VALID = text_value("SAME"), text_value("VALID")


def _node(name: str, op: str, inputs: str = "", **attrs: AttrValue) -> NodeDef:
    return make(op, name, map(ref, inputs.split()), **attrs)


def _floats(name: str, *shape: int) -> NodeDef:
    count = int(np.prod(shape, dtype=int))
    return constant(name, np.linspace(0.5, 1.5, count, dtype=np.float32).reshape(shape), ())


def _ints(name: str, value: object) -> NodeDef:
    return constant(name, np.array(value, np.int32), ())


def _x(*shape: int) -> NodeDef:
    return _node("x", "Placeholder", dtype=_F, shape=shape_value(shape))


def _conv(name: str, inputs: str, **attrs: AttrValue) -> NodeDef:
    own = {"T": _F, "strides": _ONES, "dilations": _ONES, "padding": _SAME, "data_format": _NHWC}
    return _node(name, "Conv2D", inputs, **own | attrs)


def _repeated(name: str, count: int) -> NodeDef:
    """Returns a constant that stores each of its values, which are zeros."""
    found = _floats(name, count)
    found.attr["value"].tensor.tensor_content = bytes(4 * count)
    return found


def _on_cpu(node: NodeDef) -> NodeDef:
    node.device = "/device:CPU:0"
    return node


def _bytes(*listed: NodeDef, functions: tuple[FunctionDef, ...] = ()) -> bytes:
    return graph_file.to_bytes(Graph(list(listed), FunctionDefLibrary(function=functions)))


REQUANTIZED = _bytes(
    _node("q", "Placeholder", dtype=_QINT32),
    _floats("low"),
    _floats("high"),
    _node("range", "RequantizationRange", "q low high", Tinput=_QINT32),
    _node("y", "Requantize", "q low high range range:1", Tinput=_QINT32, out_type=_QUINT8),
)
_IN_PLACE = _bytes(
    _x(1, 4, 4, 2),
    _ints("pads", [[0, 0], [1, 1], [1, 1], [0, 0]]),
    _node("pad", "Pad", "x pads", T=_F, Tpaddings=_I),
    _floats("w", 3, 3, 2, 3),
    _conv("c", "pad w", padding=_VALID),
    _floats("scale", 3),
    _node("m", "Mul", "c scale", T=_F),
    _repeated("zeros", 300),
    _node("d", "RealDiv", "m scale", T=_F),
    _node("i", "Identity", "d ^zeros", T=_F),
    _node("y", "Relu", "i", T=_F),
)
_NORMALIZED = _bytes(
    _x(1, 2, 2, 2),
    _floats("w", 1, 1, 2, 3),
    _node("v", "Identity", "x", T=_F),
    _conv("c", "v w"),
    *(_floats(name, 3) for name in "sobm"),
    _node("n", "FusedBatchNorm", "c s o b m", T=_F, is_training=AttrValue(b=False), data_format=_NHWC),
    _on_cpu(_node("r", "Relu", "n ^x", T=_F)),
    _floats("unused", 2),
)  # fmt: skip
_ATROUS = _bytes(
    _x(1, 4, 4, 1),
    _ints("block", [2, 2]),
    _ints("pads", [[2, 2], [2, 2]]),
    _node("s", "SpaceToBatchND", "x block pads", T=_F, Tblock_shape=_I, Tpaddings=_I),
    _floats("w", 3, 3, 1, 1),
    _conv("c", "s w", padding=_VALID),
    _ints("crops", [[0, 0], [0, 0]]),
    _node("y", "BatchToSpaceND", "c block crops", T=_F, Tblock_shape=_I, Tcrops=_I),
)
_GATHERED = _bytes(
    _node("ids", "Placeholder", dtype=_I),
    _floats("w", 4, 1),
    _ints("axis", 0),
    _node("g", "GatherV2", "w ids axis", Tparams=_F, Tindices=_I, Taxis=_I),
    _node("y", "ConcatV2", "g g axis", T=_F, N=AttrValue(i=2), Tidx=_I),
)
WITHOUT_TENSORFLOW = [REQUANTIZED, _IN_PLACE, _NORMALIZED, _ATROUS, _GATHERED]

_FIRST = _bytes(
    _x(1, 2, 4, 4),
    _floats("w", 3, 3, 2, 3),
    _conv("c", "x w", data_format=_NCHW),
    _floats("bias", 3),
    _node("b", "BiasAdd", "c bias", T=_F, data_format=_NCHW),
    _node("y", "Relu", "b", T=_F),
)
_LAST = _bytes(
    _x(1, 4, 4, 2),
    _floats("w", 3, 3, 2, 3),
    _conv("c", "x w"),
    _floats("bias", 3),
    _node("b", "BiasAdd", "c bias", T=_F),
    _node("y", "Relu", "b", T=_F),
)


def _resized(between: NodeDef | None, last: str) -> bytes:
    """Returns a convolution of a larger image."""
    larger = _node("r", "ResizeBilinear", "x size", T=_F, half_pixel_centers=AttrValue(b=False))
    found = [_x(1, 4, 4, 2), _ints("size", [6, 6]), larger, _floats("w", 3, 3, 2, 3)]
    if between is not None:
        found += [_ints("pads", [[0, 0], [1, 1], [1, 1], [0, 0]]), between]
    return _bytes(*found, _conv("y", f"{last} w", padding=_VALID))


_MIRRORED = _node("p", "MirrorPad", "r pads", T=_F, Tpaddings=_I, mode=text_value("REFLECT"))


def _function(
    name: str, arguments: str, results: str, returned: str, *body: NodeDef
) -> FunctionDef:
    """Returns a function; its arguments and results are words like x:1, a name and the number of a type."""
    found = FunctionDef(node_def=body)
    found.signature.name = name
    for side, words in (("input_arg", arguments), ("output_arg", results)):
        for word in words.split():
            arg, _, number = word.partition(":")
            getattr(found.signature, side).add(name=arg, type=int(number))
    for word, source in zip(results.split(), returned.split(), strict=True):
        found.ret[word.partition(":")[0]] = source
    return found


def _in_body(name: str, op: str, inputs: str = "", **attrs: AttrValue) -> NodeDef:
    """Returns a node of a function, whose inputs are written "node:output_name:0"."""
    found = _node(name, op, "", **attrs)
    found.input.extend(inputs.split())
    return found


CALLS = _bytes(
    _x(2, 3),
    _node("call", "PartitionedCall", "x", Tin=AttrValue(list={"type": [1]}), Tout=AttrValue(list={"type": [1]}), f=AttrValue(func={"name": "F"})),
    _floats("a", 3),
    _floats("b", 3),
    _node("s", "AddV2", "a b", T=_F),
    _node("t", "Mul", "call s", T=_F),
    constant("zero", np.zeros((), np.float32), ()),
    _node("u", "AddV2", "t zero", T=_F),
    _node("n", "CheckNumerics", "u", T=_F, message=text_value("m")),
    _node("nothing", "NoOp", "^x ^t"),
    _node("y", "Relu", "n ^nothing ^x", T=_F),
    functions=(
        _function("F", "v:1", "r:1", "q:activations:0", _in_body("q", "Relu", "v", T=_F)),
    ),
)  # fmt: skip
_ARRAY = _bytes(
    _x(2, 3),
    _ints("size", 2),
    _node("array", "TensorArrayV3", "size", dtype=_F, tensor_array_name=text_value("")),
    _ints("zero", 0),
    _node("put", "TensorArrayWriteV3", "array zero x array:1", T=_F),
    _node("y", "TensorArrayReadV3", "array zero put", dtype=_F),
)
_BOOL = type_value(10)
# Conditions that are never true, of both kinds, and dropout that keeps all values.
_CONDITIONS = _bytes(
    _x(2, 3),
    constant("off", np.array(False), ()),
    _node("s", "Switch", "x off", T=_F),
    _node("t", "Tanh", "s:1", T=_F),
    _node("m", "Merge", "s t", T=_F, N=AttrValue(i=2)),
    _node("index", "Cast", "m:1", SrcT=_I, DstT=_F),
    _node("p", "Mul", "m index", T=_F),
    _node("if", "StatelessIf", "off p off", Tcond=_BOOL, Tin=AttrValue(list={"type": [1, 10]}), Tout=AttrValue(list={"type": [1]}),
          then_branch=AttrValue(func={"name": "T"}), else_branch=AttrValue(func={"name": "E"}), output_shapes=AttrValue(list={})),
    _node("shape", "Shape", "if", T=_F, out_type=_I),
    _node("u", "RandomUniform", "shape", T=_I, dtype=_F),
    constant("rate", np.zeros((), np.float32), ()),
    _node("mask", "GreaterEqual", "u rate", T=_F),
    _node("kept", "Cast", "mask", SrcT=_BOOL, DstT=_F),
    _node("y", "Mul", "if kept", T=_F),
    functions=(
        _function("T", "v:1 p:10", "r:1", "q:y:0", _in_body("q", "Tanh", "v", T=_F)),
        _function("E", "v:1 p:10", "r:1", "q:output:0",
            _in_body("q", "StatelessIf", "p v p", Tcond=_BOOL, Tin=AttrValue(list={"type": [1, 10]}), Tout=AttrValue(list={"type": [1]}),
                     then_branch=AttrValue(func={"name": "T"}), else_branch=AttrValue(func={"name": "N"}), output_shapes=AttrValue(list={}))),
        _function("N", "v:1 p:10", "r:1", "q:activations:0", _in_body("q", "Relu", "v", T=_F)),
    ),
)  # fmt: skip

_LOOP_ARGUMENTS = "i:3 xs:21 all:21 h:1 c:1"
_LOOP = _bytes(
    _x(3, 2, 2),
    _ints("row", [2, 2]),
    _node("xs", "TensorListFromTensor", "x row", element_dtype=_F, shape_type=_I),
    _ints("state", [2, 1]),
    _ints("steps", 3),
    _node("all", "TensorListReserve", "state steps", element_dtype=_F, shape_type=_I),
    _ints("start", 0),
    constant("zeros", np.zeros((2, 1), np.float32), ()),
    _node("loop", "StatelessWhile", "start xs all zeros zeros",
          T=AttrValue(list={"type": [3, 21, 21, 1, 1]}), cond=AttrValue(func={"name": "C"}), body=AttrValue(func={"name": "B"}),
          output_shapes=AttrValue(list={}), parallel_iterations=AttrValue(i=10)),
    _node("y", "TensorListStack", "loop:2 state", element_dtype=_F, num_elements=AttrValue(i=3)),
    functions=(
        _function("C", _LOOP_ARGUMENTS, "again:10", "less:z:0",
            _in_body("end", "Const", dtype=_I, value=_ints("", 3).attr["value"]),
            _in_body("less", "Less", "i end:output:0", T=_I)),
        _function("B", _LOOP_ARGUMENTS, "i2:3 xs2:21 all2:21 h2:1 c2:1", "next:z:0 xs put:output_handle:0 out:z:0 cell:z:0",
            _in_body("row", "Const", dtype=_I, value=_ints("", [2, 2]).attr["value"]),
            _in_body("one", "Const", dtype=_I, value=_ints("", 1).attr["value"]),
            _in_body("w", "Const", dtype=_F, value=_floats("", 2, 4).attr["value"]),
            _in_body("u", "Const", dtype=_F, value=_floats("", 1, 4).attr["value"]),
            _in_body("b", "Const", dtype=_F, value=_floats("", 4).attr["value"]),
            _in_body("x", "TensorListGetItem", "xs i row:output:0", element_dtype=_F),
            _in_body("m", "MatMul", "x:item:0 w:output:0", T=_F),
            _in_body("r", "MatMul", "h u:output:0", T=_F),
            _in_body("s", "AddV2", "m:product:0 r:product:0", T=_F),
            _in_body("z", "BiasAdd", "s:z:0 b:output:0", T=_F),
            _in_body("split", "Split", "one:output:0 z:output:0", T=_F, num_split=AttrValue(i=4)),
            *(_in_body(f"g{n}", op, f"split:output:{n}", T=_F) for n, op in enumerate(("Sigmoid", "Sigmoid", "Tanh", "Sigmoid"))),
            _in_body("kept", "Mul", "g1:y:0 c", T=_F),
            _in_body("new", "Mul", "g0:y:0 g2:y:0", T=_F),
            _in_body("cell", "AddV2", "kept:z:0 new:z:0", T=_F),
            _in_body("t", "Tanh", "cell:z:0", T=_F),
            _in_body("out", "Mul", "g3:y:0 t:y:0", T=_F),
            _in_body("put", "TensorListSetItem", "all i out:z:0", element_dtype=_F),
            _in_body("next", "AddV2", "i one:output:0", T=_I)),
    ),
)  # fmt: skip
ALL = [*WITHOUT_TENSORFLOW, _FIRST, _LAST, _resized(None, "r"), _resized(_MIRRORED, "p"), CALLS, _ARRAY, _CONDITIONS, _LOOP]  # fmt: skip
