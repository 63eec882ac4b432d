"""Makes the checks that TensorFlow makes when it loads and runs a graph, except shapes and devices. Pure.

Source: tensorflow/core/common_runtime/graph_constructor.cc (GraphConstructor), and the sources of graph_check.py,
op_check.py and frames.py.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tfcarve.control_flow import ENTERS
from tfcarve.models.node_names import is_node_name
from tfcarve.prepare.checks.op_check import Invalid, OpCheck, Types, accepts, type_name
from tfcarve.prepare.control_flow.frames import Frames
from tfcarve.prepare.graph.functions import OpDefs
from tfcarve.prepare.graph.graph import Graph, data_inputs, reachable, topological_order
from tfcarve.prepare.graph.messages import NodeDef

# The most bytes of serialized nodes whose types are remembered.
_MAX_REMEMBERED = 1 << 25


@dataclass(frozen=True)
class Fault:
    """A reason why TensorFlow rejects a node."""

    node: str
    what: str

    def text(self) -> str:
        """Returns the reason with the node."""
        return f"node {self.node!r}: {self.what}"


class LoadCheck:
    """Checks graphs; a node that is checked again is looked up."""

    def __init__(self, op_defs: OpDefs) -> None:
        """Takes the OpDefs by name; nodes of other ops are custom ops or unknown, and are not checked."""
        self._op_defs = op_defs
        self._ops: dict[str, OpCheck] = {}
        self._types: dict[bytes, Types | None] = {}
        self._remembered = 0

    def faults(
        self, graph: Graph, fed: Collection[str], output_nodes: Collection[str]
    ) -> list[Fault]:
        """Returns the reasons why TensorFlow would reject a graph.

        Args:
          graph: a graph that graph_check.check accepts.
          fed: the names of the nodes that are fed.
          output_nodes: the names of the nodes that are fetched; TensorFlow checks frames only of the nodes that they need.
        """
        found = [fault for node in graph.nodes if (fault := _name_fault(node)) is not None]
        found += self._op_faults(graph)
        if any(node.op in ENTERS for node in graph.nodes):
            needed = reachable(graph, output_nodes, fed)
            order = topological_order(graph.with_nodes(n for n in graph.nodes if n.name in needed))
            found += [Fault(name, what) for name, what in Frames(order).faults.items()]
        return found

    def _op_faults(self, graph: Graph) -> list[Fault]:
        signatures = {f.signature.name: OpCheck(f.signature) for f in graph.library.function}
        types: dict[str, Types] = {}
        found: list[Fault] = []
        for node in graph.nodes:
            try:
                known = signatures[node.op].check(node) if node.op in signatures else self._of(node)
            except Invalid as why:
                found.append(Fault(node.name, str(why)))
                continue
            if known is not None:
                types[node.name] = known
        for node in graph.nodes:
            if node.name in types:
                what = _input_fault(node, types)
                found += [Fault(node.name, what)] if what else []
        return found

    def _of(self, node: NodeDef) -> Types | None:
        """Returns the types of a node, or None if they are unknown; raises Invalid."""
        if node.op not in self._op_defs:
            return None
        if node.op not in self._ops:
            self._ops[node.op] = OpCheck(self._op_defs[node.op])
        key = _key(node)
        if key not in self._types:
            if self._remembered > _MAX_REMEMBERED:
                self._types.clear()
                self._remembered = 0
            self._types[key] = self._ops[node.op].check(node)
            self._remembered += len(key)
        return self._types[key]


def _key(node: NodeDef) -> bytes:
    """Returns the parts of a node that determine its types; not the value of a Const, which may be large."""
    if node.op != "Const" or len(node.attr) != 2 or "value" not in node.attr:
        return node.SerializeToString(deterministic=True)
    others = [key for key in node.attr if key != "value"]
    own = [node.attr[key].SerializeToString(deterministic=True) for key in others]
    value = node.attr["value"]
    return repr((others, own, value.HasField("tensor"), value.tensor.dtype)).encode()


def _name_fault(node: NodeDef) -> Fault | None:
    if not is_node_name(node.name):
        return Fault(node.name, "its name has characters that TensorFlow does not allow")
    is_control = [text[:1] == "^" for text in node.input]
    if is_control != sorted(is_control):
        return Fault(node.name, "a data input follows a control input")
    return None


def _input_fault(node: NodeDef, types: Mapping[str, Types]) -> str:
    """Returns why TensorFlow rejects the data inputs of a node, or an empty string."""
    sources, expected = data_inputs(node), types[node.name].inputs
    if len(sources) != len(expected):
        return f"it has {len(sources)} inputs, but {node.op} takes {len(expected)}"
    for source, wanted in zip(sources, expected, strict=True):
        known = types.get(source.node)
        if known is None:
            continue
        if source.output >= len(known.outputs):
            return f"its input {source.text()!r} does not exist: the node has {len(known.outputs)} outputs"
        actual = known.outputs[source.output]
        if not accepts(wanted, actual):
            return f"its input {source.text()!r} is of type {type_name(actual)}, but {node.op} takes {type_name(wanted)}"
    return ""
