"""remove_neutral_ops: removes additions of 0 and multiplications by 1 that do not change a shape.

Not in TensorFlow's tool; tensorflow/core/grappler/optimizers/constant_folding.cc removes such ops in a session.
"""

from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.liveness import Liveness
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.inference import Outputs, shape_of
from tfcarve.prepare.fold.channels import ADDITIONS, PRODUCTS
from tfcarve.prepare.graph import nodes, tensors
from tfcarve.prepare.graph.graph import (
    Graph,
    Ref,
    by_name,
    control_inputs,
    data_inputs,
    topological_order,
)
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.transforms.remove_nodes import remove

PARAMETERS = frozenset[str]()
IN_FUNCTIONS = True
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_COMMUTATIVE = frozenset(("Add", "AddV2", "Mul"))


def _keeps_shape(array: tensors.Array, source: Ref, outputs: Outputs) -> bool:
    """Returns whether a broadcast of `source` with `array` has the shape of `source`."""
    if array.ndim == 0:
        return True
    shape = shape_of(source, outputs)
    if shape is None or array.ndim > len(shape):
        return False
    own = shape[len(shape) - array.ndim :]
    return all(size in (1, known) for size, known in zip(array.shape, own, strict=True))


def _is_neutral(node: NodeDef, constant: NodeDef) -> bool:
    if constant.op != "Const" or not tensors.has_numbers(nodes.tensor(constant).dtype):
        return False
    array = nodes.value(constant)
    return bool(array.size and (array == (0 if node.op in ADDITIONS else 1)).all())


def _forwarded(
    node: NodeDef, known: dict[str, NodeDef], outputs: Outputs, liveness: Liveness
) -> Ref | None:
    """Returns the input that a node passes on unchanged, or None."""
    sources = data_inputs(node)
    if node.op not in ADDITIONS | PRODUCTS or len(sources) != 2:
        return None
    for index in (1, 0) if node.op in _COMMUTATIVE else (1,):
        constant, other = known[sources[index].node], sources[1 - index]
        if not _is_neutral(node, constant) or not liveness.is_implied(sources[index], [other]):
            continue
        if node.op.startswith("Bias") or _keeps_shape(nodes.value(constant), other, outputs):
            return other
    return None


def apply(graph: Graph, context: Context) -> Graph:
    """Removes neutral ops, except inputs and outputs."""
    known = by_name(graph)
    outputs = inference.outputs(graph, context.evaluator)
    liveness = Liveness(topological_order(graph))
    fed = context.input_nodes()
    stay = {text[1:] for node in graph.nodes for text in node.input if text.startswith("^")}
    stay |= context.preserved()
    removed: dict[str, NodeDef] = {}
    replacements: dict[Ref, Ref] = {}
    for node in graph.nodes:
        if node.name in stay or control_inputs(node):
            continue
        source = _forwarded(node, known, outputs, liveness)
        if source is None or any(s.node in fed and s != source for s in data_inputs(node)):
            continue
        removed[node.name] = node
        replacements[Ref(node.name)] = source
    return remove(graph, removed, replacements)
