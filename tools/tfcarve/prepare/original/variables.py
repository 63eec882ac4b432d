"""Sets the variables and tables of a GraphDef to the values that a checkpoint has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tfcarve.models.node_names import Names
from tfcarve.prepare.evaluate.evaluator import Loaded as Session
from tfcarve.prepare.freeze import checkpoint as checkpoints
from tfcarve.prepare.freeze import tables
from tfcarve.prepare.freeze.finder import Finder
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.nodes import make, strings
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.prune import needed
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.stores import VARIABLES
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import NodeDef, TensorProto
from tfcarve.prepare.graph.tensors import from_array


@dataclass(frozen=True)
class Restorable:
    """A graph, and the values of its variables and tables.

    Attributes:
      graph: the GraphDef, with nodes that assign the variables.
      assigned: the values of Placeholders, by the node that assigns one to a variable.
      initializers: nodes that initialize tables, each with the feeds that it needs.
    """

    graph: Graph
    assigned: Mapping[str, tuple[Ref, TensorProto]]
    initializers: Mapping[str, Mapping[Ref, TensorProto]]

    def restore(self, session: Session) -> None:
        """Sets the variables and tables of a session with the graph; raises Failed if TensorFlow can't."""
        for node, (source, value) in self.assigned.items():
            session.run([], {source: value}, [node])
        for node, feeds in self.initializers.items():
            session.run([], feeds, [node])


def restorable(loaded: Loaded, model: Request, outputs: Iterable[str], ops: Ops) -> Restorable:
    """Returns a graph with the values of the variables and tables that `outputs` need.

    Args:
      loaded: the graph.
      model: its path and options, with the checkpoint.
      outputs: tensors.
      ops: the OpDefs.

    Raises InvalidInput if the checkpoint lacks a variable or is damaged.
    """
    nodes = list(loaded.graph.node)
    used = needed(nodes, [parsed(tensor)[0] for tensor in outputs])
    trace = Trace(nodes, ops)
    prefix = model.options.checkpoint
    checkpoint = None
    if prefix:
        averages = model.options.moving_averages
        checkpoint = checkpoints.Checkpoint(prefix, prefix, averages, ops.evaluator)
    find = Finder(tables.Sources(trace, loaded.assets, checkpoint, ops.evaluator), {}, model)
    variables = [node for node in nodes if node.name in used and node.op in VARIABLES]
    find.require(variables)
    names = Names(node.name for node in nodes)
    graph = graph_file.from_message(loaded.graph)
    assigned: dict[str, tuple[Ref, TensorProto]] = {}
    for variable in variables:
        placeholder, assigning = _assigning(variable, names)
        graph.nodes.extend((placeholder, assigning))
        assigned[assigning.name] = Ref(placeholder.name), find(variable).value
    created = {node.name for node in nodes if node.name in used and node.op in tables.TABLES}
    initializers = {
        node.name: _prefixes(trace, node, prefix)
        for node in nodes
        if node.op in tables.INITIALIZERS
        and (table := trace.origin(node.input[0])[0]) is not None
        and table.name in created
    }
    return Restorable(graph, assigned, initializers)


def _assigning(variable: NodeDef, names: Names) -> tuple[NodeDef, NodeDef]:
    """Returns a Placeholder, and a node that assigns it to a variable."""
    dtype = variable.attr["dtype"].type
    value = make(names.unique(f"{variable.name}/value"), "Placeholder", [], {"dtype": dtype})
    op, key = ("AssignVariableOp", "dtype") if variable.op == "VarHandleOp" else ("Assign", "T")
    assigning = make(
        names.unique(f"{variable.name}/assign"), op, [variable.name, value.name], {key: dtype}
    )
    if op == "Assign":
        assigning.attr["validate_shape"].b = False
    return value, assigning


def _prefixes(trace: Trace, initializer: NodeDef, prefix: str) -> dict[Ref, TensorProto]:
    """Returns the feed with the checkpoint's prefix for an initializer that restores its table."""
    keys, _ = trace.origin(initializer.input[1])
    if keys is None or keys.op != "RestoreV2":
        return {}
    return {Ref(*parsed(keys.input[0])): from_array(strings(prefix))}
