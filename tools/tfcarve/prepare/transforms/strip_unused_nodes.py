"""strip_unused_nodes: removes nodes that the outputs do not depend on, and replaces inputs with Placeholders.

Source: tensorflow/tools/graph_transforms/strip_unused_nodes.cc. Unlike TensorFlow's tool, a new Placeholder has by
default the type of the replaced node and any shape, and removes unused functions.
"""

from collections.abc import Mapping

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.prepare.checks.op_check import Invalid, OpCheck
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.functions import used_functions
from tfcarve.prepare.graph.graph import Graph, data_inputs, reachable, ref
from tfcarve.prepare.graph.messages import NodeDef, OpDef

PARAMETERS = frozenset(("type", "shape", "name", "type_for_name", "shape_for_name"))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = True

_WITH_SHAPE = frozenset(("PlaceholderV2", "PlaceholderWithDefault"))


def _number(transform: str, text: str) -> int:
    name = dtypes.from_enum(text) or dtypes.from_spec(text)
    if name is None:
        raise InvalidInput(
            f"{transform}: {text!r} is not a type: expected for example float, int32, quint8"
        )
    return dtypes.NUMBER_OF[name]


def _shape(transform: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(size) for size in text.split(",")) if text else ()
    except ValueError:
        raise InvalidInput(
            f'{transform}: {text!r} is not a shape: expected for example "1,299,299,3"'
        ) from None


def _by_name(parameters: Parameters, key: str) -> dict[str, str]:
    names, values = parameters.all("name"), parameters.all(key)
    if values and len(names) != len(values):
        raise InvalidInput(
            f"{parameters.transform}: {len(names)} name and {len(values)} {key}: expected one {key} for each name"
        )
    return dict(zip(names, values, strict=False))


def _type_of(node: NodeDef, op_defs: Mapping[str, OpDef]) -> int:
    """Returns the type of a node's first output; of a custom op, its attribute dtype or T, or float."""
    try:
        known = OpCheck(op_defs[node.op]).check(node) if node.op in op_defs else None
    except Invalid:
        known = None
    if known is not None and known.outputs:
        return known.outputs[0] % dtypes.REF_OFFSET
    return nodes.dtype(node, "T") or nodes.dtype(node, "dtype") or nodes.FLOAT


def _placeholder(node: NodeDef, parameters: Parameters, op_defs: Mapping[str, OpDef]) -> NodeDef:
    types, shapes = _by_name(parameters, "type_for_name"), _by_name(parameters, "shape_for_name")
    transform = parameters.transform
    named = types.get(node.name) or parameters.one("type")
    number = _number(transform, named) if named else _type_of(node, op_defs)
    created = nodes.make("Placeholder", node.name, (), dtype=nodes.type_value(number))
    if node.name in shapes or "shape" in parameters:
        shape = _shape(transform, shapes.get(node.name, parameters.one("shape")))
        nodes.set_attr(created, "shape", nodes.shape_value(shape))
    elif node.op in _WITH_SHAPE:
        nodes.copy_attrs(node, created, ("shape",))
    else:
        nodes.set_attr(created, "shape", nodes.shape_value(None))
    return created


def _require_valid(parameters: Parameters) -> None:
    """Checks all parameters, whether an input has to be replaced or not."""
    for text in filter(
        None, (parameters.one("type"), *_by_name(parameters, "type_for_name").values())
    ):
        _number(parameters.transform, text)
    for text in (parameters.one("shape"), *_by_name(parameters, "shape_for_name").values()):
        _shape(parameters.transform, text)


def _require_first_outputs(graph: Graph, replaced: set[str], context: Context) -> None:
    """Checks that only output 0 of the nodes `replaced`, which are Placeholders now, is used."""
    reads = [(node.name, source) for node in graph.nodes for source in data_inputs(node)]
    for kind, names in (("input", context.inputs), ("output", context.outputs)):
        reads += [(f"--{kind}s", ref(name)) for name in names]
    for reader, source in reads:
        if source.node in replaced and source.output > 0:
            raise InvalidInput(
                f"{context.parameters.transform}: {reader!r} uses {source.text()!r}, but the input {source.node!r} "
                "becomes a Placeholder, which has one output: run "
                f"tfcarve freeze --inputs {source.node},{source.text()} --outputs … first, which creates a Placeholder "
                "for each output"
            )


def apply(graph: Graph, context: Context) -> Graph:
    """Removes unused nodes.

    Raises InvalidInput if a type or shape is invalid, the numbers of names and types differ, or an output of an input
    other than the first is used.
    """
    _require_valid(context.parameters)
    fed = context.input_nodes()
    op_defs = context.evaluator.known_op_defs()
    needed = reachable(graph, context.output_nodes(), fed) | fed
    remaining = [
        _placeholder(node, context.parameters, op_defs)
        if node.name in fed and node.op != "Placeholder"
        else node
        for node in graph.nodes
        if node.name in needed
    ]
    stripped = graph.with_nodes(remaining)
    replaced = fed & {node.name for node in graph.nodes if node.op != "Placeholder"}
    _require_first_outputs(stripped, replaced, context)
    return Graph(remaining, used_functions(stripped), graph.versions)
