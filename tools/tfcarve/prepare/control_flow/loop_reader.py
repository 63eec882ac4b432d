"""Reads the loops of a graph. Pure."""

from tfcarve.prepare.control_flow import while_loops
from tfcarve.prepare.control_flow.frame_loops import frame_loops
from tfcarve.prepare.control_flow.loops import Loop
from tfcarve.prepare.graph.functions import OpDefs
from tfcarve.prepare.graph.graph import Graph

# A graph without these ops has no loops.
OPS = while_loops.OPS | {"Enter"}


def read(graph: Graph, op_defs: OpDefs) -> list[Loop]:
    """Returns the loops of a graph, without loops in function bodies and loops of an unknown structure.

    Args:
      graph: untrusted: functions may be missing or have other numbers of arguments, and edges may form cycles.
      op_defs: TensorFlow's OpDefs.
    """
    found = [*while_loops.while_loops(graph, op_defs), *frame_loops(graph)]
    return [loop for loop in found if loop is not None]
