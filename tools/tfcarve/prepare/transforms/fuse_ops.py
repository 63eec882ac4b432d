"""fuse_ops: fuses convolution or matrix product, bias or batch normalization, and activation into one op.

Source: tensorflow/core/grappler/optimizers/remapper.cc (attributes and order), and the limits of the CPU kernels in
tensorflow/core/kernels/{conv_ops_fused_impl.h,matmul_op_fused.cc}: float32, NHWC. The ops are internal to TensorFlow;
its sessions run them.

A depthwise convolution becomes a grouped convolution with one group per channel. Carved libraries and TensorFlow with
oneDNN run it; TensorFlow's other CPU kernel rejects groups.
"""

import numpy as np

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import Constants, instead_of
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.inference import Outputs, shape_of
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    by_name,
    control_inputs,
    data_inputs,
    unique_name,
)
from tfcarve.prepare.graph.matching import Match, Matcher, Pattern, pattern
from tfcarve.prepare.graph.messages import AttrValue, NodeDef

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_ACTIVATIONS = ("Elu", "LeakyRelu", "Relu", "Relu6")
_NORMS = ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
_ANY = pattern("*")
_DEPTHWISE = "DepthwiseConv2dNative"
_LINEAR = pattern(("Conv2D", _DEPTHWISE, "MatMul"), _ANY, _ANY, key="linear")
# A 1D convolution is a 2D one with a dimension of size 1, which a Squeeze removes.
_CONVOLUTION = pattern(("Conv2D", _DEPTHWISE), _ANY, _ANY, key="linear")
_SQUEEZED = pattern("Squeeze", _CONVOLUTION, key="squeeze")
_NORM = pattern(_NORMS, _CONVOLUTION, _ANY, _ANY, _ANY, _ANY, key="norm")


def _with_bias(linear: Pattern) -> tuple[Pattern, ...]:
    const = pattern("Const", key="bias")
    return (
        pattern("BiasAdd", linear, pattern("*", key="bias"), key="add"),
        pattern(("Add", "AddV2"), linear, const, key="add", commutative=True),
    )


def _with_activation(inner: Pattern) -> Pattern:
    return pattern(_ACTIVATIONS, inner, key="activation")


_BIASED = (*_with_bias(_LINEAR), *_with_bias(_SQUEEZED), _NORM)
# The longest patterns are first; an activation without bias gets a bias of zeros, which the fused kernels require.
_PATTERNS = (
    *(_with_activation(inner) for inner in (*_BIASED, _LINEAR, _SQUEEZED)),
    *_BIASED,
)


def _filter(linear: NodeDef, context: Context, matcher: Matcher) -> NodeDef | None:
    """Returns the Const filter of a convolution, or None if it is not constant or is fed."""
    source = data_inputs(linear)[1]
    node = matcher.node(source.node)
    is_constant = node is not None and node.op == "Const" and source == Ref(node.name)
    return node if is_constant and source.node not in context.input_nodes() else None


def _is_plain(linear: NodeDef, outputs: Outputs) -> bool:
    """Returns whether the CPU kernel of the fused op supports `linear`."""
    if nodes.dtype(linear) != nodes.FLOAT:
        return False
    if linear.op == "MatMul":
        return True
    read, weights = (shape_of(source, outputs) for source in data_inputs(linear)[:2])
    if read is None or weights is None or len(read) != 4 or len(weights) != 4:
        return False
    return nodes.text(linear, "data_format", "NHWC") == "NHWC" and read[3] == weights[2] > 0


def _columns(linear: NodeDef, outputs: Outputs) -> int | None:
    """Returns the number of output channels of `linear`, or None if it is unknown."""
    shape = shape_of(Ref(linear.name), outputs)
    return shape[-1] if shape and shape[-1] > 0 else None


def _keeps_channels(squeeze: NodeDef) -> bool:
    """Returns whether a Squeeze of four dimensions keeps the last one, the channels, and another one."""
    removed = {d % 4 for d in nodes.ints(squeeze, "squeeze_dims")}
    return 0 < len(removed) < 3 and 3 not in removed


def _is_bias(match: Match, outputs: Outputs) -> bool:
    """Returns whether the added operand has one value for each channel."""
    add, linear = match["add"], match["linear"]
    if add.op == "BiasAdd" and nodes.text(add, "data_format", "NHWC") != "NHWC":
        return linear.op == "MatMul"
    if add.op == "BiasAdd":
        return True
    return shape_of(Ref(match["bias"].name), outputs) == (_columns(linear, outputs),)


def _is_norm(norm: NodeDef, matcher: Matcher) -> bool:
    is_plain = not nodes.flag(norm, "is_training", True)
    is_plain &= nodes.text(norm, "data_format", "NHWC") == "NHWC"
    is_plain &= all(nodes.dtype(norm, key) in (0, nodes.FLOAT) for key in ("T", "U"))
    return is_plain and all(output == 0 for output, _ in matcher.users(norm.name))


def _can_fuse(match: Match, outputs: Outputs, context: Context, matcher: Matcher) -> bool:
    if any(control_inputs(node) for key, node in match.items() if key not in ("linear", "bias")):
        return False
    if "squeeze" in match and not _keeps_channels(match["squeeze"]):
        return False
    if not _is_plain(match["linear"], outputs):
        return False
    if match["linear"].op == _DEPTHWISE and _filter(match["linear"], context, matcher) is None:
        return False
    if "norm" in match:
        return _is_norm(match["norm"], matcher)
    if "add" in match:
        return _is_bias(match, outputs)
    return _columns(match["linear"], outputs) is not None


def _strings(texts: list[str]) -> AttrValue:
    value = AttrValue()
    value.list.s.extend(text.encode() for text in texts)
    return value


def _grouped(filtered: NodeDef, name: str) -> NodeDef:
    """Returns a depthwise filter of [height, width, channels, times] as [height, width, 1, channels * times]."""
    height, width, channels, times = nodes.shape(filtered)
    values = nodes.value(filtered).reshape(height, width, 1, channels * times)
    return instead_of(filtered, name, values)


def _fused(match: Match, name: str, weights: Ref, added: list[Ref]) -> NodeDef:
    """Returns the fused op; `added` is the bias or the batch normalization's parameters."""
    linear = match["linear"]
    read = [data_inputs(linear)[0], weights, *added]
    ops = ["FusedBatchNorm" if "norm" in match else "BiasAdd"]
    op = "_FusedMatMul" if linear.op == "MatMul" else "_FusedConv2D"
    created = nodes.make(op, name, read, T=nodes.type_value(nodes.FLOAT))
    created.device = linear.device
    nodes.set_attr(created, "num_args", AttrValue(i=len(added)))
    if op == "_FusedConv2D":
        keys = ("strides", "padding", "explicit_paddings", "dilations", "data_format")
        nodes.copy_attrs(linear, created, (*keys, "use_cudnn_on_gpu"))
        created.attr["TArgs"].list.type.extend([nodes.FLOAT] * len(added))
        nodes.set_attr(created, "num_host_args", AttrValue(i=0))
    else:
        nodes.copy_attrs(linear, created, ("transpose_a", "transpose_b"))
    epsilon = nodes.number(match["norm"], "epsilon", 0.0001) if "norm" in match else 0.0
    nodes.set_attr(created, "epsilon", AttrValue(f=epsilon))
    if "activation" in match:
        ops.append(match["activation"].op)
        if ops[-1] == "LeakyRelu":
            alpha = nodes.number(match["activation"], "alpha", 0.2)
            nodes.set_attr(created, "leakyrelu_alpha", AttrValue(f=alpha))
    nodes.set_attr(created, "fused_ops", _strings(ops))
    return created


def _replacement(
    match: Match,
    root: NodeDef,
    filtered: NodeDef | None,
    outputs: Outputs,
    taken: set[str],
    constants: Constants,
) -> list[NodeDef]:
    """Returns the replacement of a match; the last node has the name of `root`.

    `filtered` is the filter of a depthwise convolution.
    """
    created = []
    linear = match["linear"]
    weights = data_inputs(linear)[1]
    if filtered is not None:
        created.append(_grouped(filtered, unique_name(f"{root.name}/filter", taken)))
        weights = Ref(created[0].name)
    if "norm" in match:
        added = data_inputs(match["norm"])[1:]
    elif "add" in match:
        before = match.get("squeeze", linear).name
        added = [source for source in data_inputs(match["add"]) if source.node != before]
    else:
        zeros = np.zeros(_columns(linear, outputs) or 0, np.float32)
        name = unique_name(f"{root.name}/bias", taken)
        created.append(constants.beside(data_inputs(linear)[0], name, zeros))
        added = [Ref(created[-1].name)]
    if "squeeze" not in match:
        return [*created, _fused(match, root.name, weights, added)]
    fused = _fused(match, unique_name(f"{root.name}/fused", taken), weights, added)
    squeeze = nodes.copy(match["squeeze"], root.name)
    squeeze.input[:] = [fused.name]
    return [*created, fused, squeeze]


def apply(graph: Graph, context: Context) -> Graph:
    """Fuses ops; a fused op has the name of the last node that it replaces.

    A Squeeze between a convolution and its bias is moved after the fused op and gets that name.
    """
    outputs = inference.outputs(graph, context.evaluator)
    matcher = Matcher(graph, context.preserved())
    taken = set(by_name(graph))
    constants = Constants(graph.nodes)
    removed: set[str] = set()
    created: dict[str, list[NodeDef]] = {}
    for wanted in _PATTERNS:
        for node in graph.nodes:
            match = None if node.name in removed else matcher.match(wanted, node)
            if match is None or node.name in context.input_nodes():
                continue
            linear = match["linear"]
            if linear.name not in removed and _can_fuse(match, outputs, context, matcher):
                removed.update(n.name for key, n in match.items() if key != "bias")
                filtered = _filter(linear, context, matcher) if linear.op == _DEPTHWISE else None
                if filtered is not None and matcher.only_user(filtered.name) is not None:
                    removed.add(filtered.name)
                created[node.name] = _replacement(match, node, filtered, outputs, taken, constants)
    listed = []
    for node in graph.nodes:
        if node.name in created:
            listed += created[node.name]
        elif node.name not in removed:
            listed.append(node)
    return graph.with_nodes(listed)
