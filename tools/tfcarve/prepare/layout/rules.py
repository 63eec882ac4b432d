"""The rules that convert a node to channels last. Pure.

Source: the layouts in tensorflow/core/ops/{nn,array,math}_ops.cc, and the layout-agnostic ops in
tensorflow/core/grappler/optimizers/generic_layout_optimizer_transposer.cc.
"""

from collections.abc import Callable, Mapping, Sequence

from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import data_inputs
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.layout.layouts import (
    FORMATS,
    RANKS,
    Facts,
    Plan,
    broadcast_last,
    dims,
    keeps_order,
    moved,
    to_last,
)
from tfcarve.prepare.layout.slices import strided_slice

# Ops with data_format: the input with that layout, and the inputs with a value for each dimension.
_WITH_FORMAT: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "AvgPool": (0, ()),
    "AvgPool3D": (0, ()),
    "BiasAdd": (0, ()),
    "Conv2D": (0, ()),
    "Conv2DBackpropInput": (2, (0,)),
    "Conv3D": (0, ()),
    "Conv3DBackpropInputV2": (2, (0,)),
    "DepthToSpace": (0, ()),
    "DepthwiseConv2dNative": (0, ()),
    "DepthwiseConv2dNativeBackpropInput": (2, (0,)),
    "FusedBatchNorm": (0, ()),
    "FusedBatchNormV2": (0, ()),
    "FusedBatchNormV3": (0, ()),
    "MaxPool": (0, ()),
    "MaxPool3D": (0, ()),
    "MaxPoolV2": (0, (1, 2)),
    "SpaceToDepth": (0, ()),
}
_BY_DIMENSION = ("ksize", "strides", "dilations", "explicit_paddings")
# Element-wise ops with one tensor; their other inputs are scalars.
_UNARY = """
    Abs Acos Acosh Asin Asinh Atan Atanh Cast Ceil CheckNumerics ClipByValue Cos Cosh Digamma Elu Erf Erfc Exp Expm1
    FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars Floor Identity Inv IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p
    LogicalNot Neg OnesLike PreventGradient Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot
    Softplus Softsign Sqrt Square StopGradient Tan Tanh ZerosLike
"""
# Element-wise ops whose inputs are broadcast.
_BROADCAST = """
    Add AddN AddV2 ApproximateEqual Atan2 Div DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual Less LessEqual
    LogicalAnd LogicalOr Maximum Minimum Mod Mul MulNoNan NotEqual Pow RealDiv SelectV2 SquaredDifference Sub
    TruncateDiv TruncateMod Xdivy Xlogy
"""
_REDUCTIONS = frozenset(("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum"))

Rule = Callable[[NodeDef, Facts], Plan | None]


def _rank(node: NodeDef, index: int, facts: Facts) -> int:
    """Returns the rank of an input if it can have another layout, else 0."""
    sources = data_inputs(node)
    rank = facts.rank(sources[index]) if index < len(sources) else None
    return rank if rank in RANKS and rank is not None else 0


def sensitive(node: NodeDef, facts: Facts) -> Plan | None:
    """Returns the plan of a node with channels first in data_format, or None if the node has no data_format or can't be converted."""
    found = _WITH_FORMAT.get(node.op)
    wanted = FORMATS.get(nodes.text(node, "data_format"))
    if found is None or wanted is None:
        return None
    index, vectors = found
    rank = _rank(node, index, facts)
    if not rank and node.op != "BiasAdd" and facts.rank(data_inputs(node)[index]) is None:
        rank = len(wanted)  # in a loop only the op determines the rank
    if not rank or (rank != len(wanted) and node.op != "BiasAdd"):
        return None
    sources = data_inputs(node)
    shapes = [facts.shape(sources[vector]) for vector in vectors]
    if any(shape not in ((rank,), (rank - 2,)) for shape in shapes):
        return None
    attrs = {"data_format": nodes.text_value(wanted)}
    for key in _BY_DIMENSION:
        values = nodes.ints(node, key)
        if values:
            attrs[key] = nodes.ints_value(_by_dimension(values, rank))
    full = tuple(v for v, shape in zip(vectors, shapes, strict=True) if shape == (rank,))
    return Plan((index,), (0,), full, attrs=attrs)


def _by_dimension(values: Sequence[int], rank: int) -> list[int]:
    each = len(values) // rank
    rows = [values[dim * each : (dim + 1) * each] for dim in range(rank)]
    return [value for dim in to_last(rank) for value in rows[dim]]


def _unary(node: NodeDef, facts: Facts) -> Plan | None:
    scalars = data_inputs(node)[1:]
    if not _rank(node, 0, facts) or any(facts.rank(source) != 0 for source in scalars):
        return None
    return Plan((0,), (0,))


def _broadcast(node: NodeDef, facts: Facts) -> Plan | None:
    sources = data_inputs(node)
    ranks = [facts.rank(source) for source in sources]
    rank = max((r for r in ranks if r is not None), default=0)
    if None in ranks or rank not in RANKS:
        return None
    constants: dict[int, Array] = {}
    for index, source in enumerate(sources):
        if ranks[index] in (0, rank):
            continue
        array = facts.constant(source)
        if array is None:
            return None
        constants[index] = broadcast_last(array, rank)
    reads = tuple(index for index, own in enumerate(ranks) if own == rank)
    return Plan(reads, (0,), constants=constants)


def _along(node: NodeDef, facts: Facts, axis: int, reads: Sequence[int], gives: int) -> Plan | None:
    """Returns the plan of a node whose input number `axis` is its axis."""
    sources = data_inputs(node)
    ranks = {_rank(node, index, facts) for index in reads}
    if not 0 <= axis < len(sources) or len(ranks) != 1 or 0 in ranks:
        return None
    (rank,) = ranks
    array, values = facts.constant(sources[axis]), facts.integers(sources[axis])
    found = dims(values, rank) if values is not None and len(values) == 1 else None
    if array is None or found is None:
        return None
    new_axis = array * 0 + moved(found[0], rank)
    return Plan(tuple(reads), tuple(range(gives)), constants={axis: new_axis})


def _concat(node: NodeDef, facts: Facts) -> Plan | None:
    count = len(data_inputs(node))
    if node.op == "Concat":
        return _along(node, facts, 0, range(1, count), 1)
    return _along(node, facts, count - 1, range(count - 1), 1)


def _split(node: NodeDef, facts: Facts) -> Plan | None:
    axis, read = (0, 1) if node.op == "Split" else (2, 0)
    gives = node.attr["num_split"].i if "num_split" in node.attr else 0
    return _along(node, facts, axis, (read,), gives)


def _by_rows(node: NodeDef, facts: Facts) -> Plan | None:
    """Returns the plan of a node whose other inputs are scalars or have a row for each dimension."""
    rank = _rank(node, 0, facts)
    shapes = [facts.shape(source) for source in data_inputs(node)[1:]]
    if not rank or any(shape is None or (shape and shape[0] != rank) for shape in shapes):
        return None
    return Plan((0,), (0,), tuple(index for index, shape in enumerate(shapes, 1) if shape))


def _axes(node: NodeDef, facts: Facts) -> tuple[int, list[int], Array] | None:
    """Returns the rank of a node's first input, the axes in its second input, and these axes with channels last."""
    rank, sources = _rank(node, 0, facts), data_inputs(node)
    if not rank or len(sources) != 2:
        return None
    array, values = facts.constant(sources[1]), facts.integers(sources[1])
    found = dims(values, rank) if values is not None else None
    if array is None or found is None:
        return None
    turned = array.copy()
    turned.reshape(-1)[:] = [moved(dim, rank) for dim in found]
    return rank, found, turned


def _reduction(node: NodeDef, facts: Facts) -> Plan | None:
    found = _axes(node, facts)
    if found is None:
        return None
    rank, removed, turned = found
    if nodes.flag(node, "keep_dims", False):
        return Plan((0,), (0,), constants={1: turned})
    return Plan((0,), constants={1: turned}) if keeps_order(removed, rank) else None


def _best(node: NodeDef, facts: Facts) -> Plan | None:
    found = _axes(node, facts)
    if found is None or not keeps_order(found[1], found[0]):
        return None
    return Plan((0,), constants={1: found[2]})


def _reverse(node: NodeDef, facts: Facts) -> Plan | None:
    found = _axes(node, facts)
    return Plan((0,), (0,), constants={1: found[2]}) if found is not None else None


def _squeeze(node: NodeDef, facts: Facts) -> Plan | None:
    rank = _rank(node, 0, facts)
    removed = dims(nodes.ints(node, "squeeze_dims"), rank) if rank else None
    if not removed or not keeps_order(removed, rank):
        return None
    turned = sorted(moved(dim, rank) for dim in removed)
    return Plan((0,), attrs={"squeeze_dims": nodes.ints_value(turned)})


def _reshape(node: NodeDef, facts: Facts) -> Plan | None:
    """Returns the plan of a Reshape of one channel or one pixel: its bytes are equal in both layouts."""
    shape = facts.shape(data_inputs(node)[0])
    if shape is None or len(shape) not in RANKS:
        return None
    is_same = shape[1] == 1 or all(size == 1 for size in shape[2:])
    return Plan((0,)) if is_same else None


def _shape(node: NodeDef, facts: Facts) -> Plan | None:
    return Plan((0,), gives_dims=True) if _rank(node, 0, facts) else None


def _count(node: NodeDef, facts: Facts) -> Plan | None:
    return Plan((0,)) if _rank(node, 0, facts) else None


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_UNARY.split(), _unary),
    **dict.fromkeys(_BROADCAST.split(), _broadcast),
    **dict.fromkeys(_REDUCTIONS, _reduction),
    **dict.fromkeys(("ArgMax", "ArgMin"), _best),
    **dict.fromkeys(("Concat", "ConcatV2"), _concat),
    **dict.fromkeys(("MirrorPad", "Pad", "PadV2", "Slice", "Tile"), _by_rows),
    **dict.fromkeys(("Rank", "Size"), _count),
    **dict.fromkeys(("Split", "SplitV"), _split),
    "Reshape": _reshape,
    "ReverseV2": _reverse,
    "Shape": _shape,
    "Squeeze": _squeeze,
    "StridedSlice": strided_slice,
}


def flexible(node: NodeDef, facts: Facts) -> Plan | None:
    """Returns the plan of a layout-agnostic node, or None if it can't be converted."""
    rule = _RULES.get(node.op)
    return rule(node, facts) if rule is not None and data_inputs(node) else None
