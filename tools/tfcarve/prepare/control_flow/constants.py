"""Creates the constants of transforms, each in the frame of the node that reads it.

A node without data inputs runs outside of loops, always and once, unless it has control inputs from nodes in a loop or in
a branch. TensorFlow rejects a node that reads tensors of different frames.
"""

from collections.abc import Iterable

from tfcarve import control_flow
from tfcarve.control_flow import ENTERS
from tfcarve.prepare.control_flow.frames import Frames
from tfcarve.prepare.graph import nodes
from tfcarve.prepare.graph.graph import CONTROL, Graph, Ref, control_inputs, ref, topological_order
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array


def instead_of(
    old: NodeDef | Iterable[NodeDef], name: str, array: Array, dtype: int | None = None
) -> NodeDef:
    """Returns a Const that runs when the Consts `old`, which it replaces, run; `dtype` defaults to the array's type."""
    replaced = [old] if isinstance(old, NodeDef) else old
    control = [Ref(above, CONTROL) for node in replaced for above in control_inputs(node)]
    return nodes.constant(name, array, control, dtype)


class Constants:
    """Creates Consts for nodes that also read other tensors of a graph."""

    def __init__(self, listed: Iterable[NodeDef]) -> None:
        """Takes the nodes of the graph before the transform."""
        self._known = {node.name: node for node in listed}
        self._frames = Frames(())
        # A transform modifies nodes.
        self._inputs: dict[str, list[Ref]] = {}
        self._stable: dict[str, str] = {}
        if any(node.op in ENTERS for node in self._known.values()):
            self._frames = Frames(topological_order(Graph(list(self._known.values()))))
            self._inputs = {
                node.name: [ref(text) for text in node.input] for node in self._known.values()
            }

    def beside(self, near: Ref, name: str, array: Array, dtype: int | None = None) -> NodeDef:
        """Returns a Const for a node that also reads `near`, a tensor of the graph; `dtype` defaults to the array's type."""
        place = self.place(near)
        return nodes.constant(name, array, [Ref(place, CONTROL)] if place else [], dtype)

    def place(self, near: Ref) -> str:
        """Returns the node that a Const beside `near` needs as control input; "" if it needs none."""
        return self._anchor(near.node) if self._frames.of(near.node) else ""

    def _anchor(self, name: str) -> str:
        """Returns a node in the frame and iteration of the node `name` in a loop. It is alive if that node is alive."""
        passed: list[str] = []
        while name not in self._stable and self._known[name].op not in control_flow.ALL:
            passed.append(name)
            frame = self._frames.of(name)
            name = next(s.node for s in self._inputs[name] if self._frames.of(s.node) == frame)
        name = self._stable.get(name, name)
        self._stable.update(dict.fromkeys(passed, name))
        return name
