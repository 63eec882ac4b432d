"""insert_logging: inserts Print nodes that log the outputs of nodes.

Source: tensorflow/tools/graph_transforms/insert_logging.cc. Unlike TensorFlow's tool, it sets only the types of the
outputs that are printed, and does not print the outputs of Switch and NextIteration, whose readers can be printed.
"""

from tfcarve.control_flow import ALL_SWITCHES, NEXT_ITERATIONS
from tfcarve.prepare.context import Context, Parameters
from tfcarve.prepare.evaluate import inference
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import Graph, Ref, consumers, rewire
from tfcarve.prepare.graph.messages import AttrValue, NodeDef

PARAMETERS = frozenset(("first_n", "message", "op", "prefix", "show_name", "show_op", "summarize"))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = True
CAN_BREAK_GRAPHS = False

_SUFFIX = "__print__"
# Their outputs are not printed: of a Switch only one is alive, and a Merge must read a NextIteration itself.
_NOT_PRINTED = ALL_SWITCHES | NEXT_ITERATIONS
_REFERENCE = 100


def _print(
    node: NodeDef, read: list[int], outputs: list[Output], parameters: Parameters
) -> NodeDef:
    name = f"{node.name}{_SUFFIX}"
    message = f";{node.op};" if parameters.boolean("show_op", False) else ""
    message += f";{name};" if parameters.boolean("show_name", False) else ""
    types = [output.dtype % _REFERENCE for output in outputs]
    created = nodes.make(
        "Print",
        name,
        [Ref(node.name), *(Ref(node.name, output) for output in read)],
        message=nodes.text_value(message + parameters.one("message")),
        first_n=AttrValue(i=parameters.integer("first_n", -1)),
        summarize=AttrValue(i=parameters.integer("summarize", 1024)),
        T=nodes.type_value(types[0]),
    )
    created.attr["U"].list.type.extend(types[output] for output in read)
    return created


def apply(graph: Graph, context: Context) -> Graph:
    """Inserts Print nodes; raises InvalidInput if a parameter is invalid."""
    parameters = context.parameters
    ops, prefixes = parameters.all("op"), parameters.all("prefix")
    outputs = inference.outputs(graph, context.evaluator)
    read: dict[str, set[int]] = {}
    for source in consumers(graph):
        # A control input counts as output 0.
        read.setdefault(source.node, set()).add(max(source.output, 0))
    listed: list[NodeDef] = []
    prints: list[NodeDef] = []
    replacements: dict[Ref, Ref] = {}
    for node in graph.nodes:
        listed.append(node)
        wanted = (not ops or node.op in ops) and (not prefixes or node.name.startswith(prefixes))
        wanted &= node.op not in _NOT_PRINTED
        if wanted and node.name in read and outputs.get(node.name):
            prints.append(_print(node, sorted(read[node.name]), outputs[node.name], parameters))
            listed.append(prints[-1])
            replacements[Ref(node.name)] = Ref(prints[-1].name)
    own = {node.name for node in prints}
    rewire((node for node in listed if node.name not in own), replacements)
    return graph.with_nodes(listed)
