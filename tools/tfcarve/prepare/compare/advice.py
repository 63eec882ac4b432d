"""Advice for a model that TensorFlow cannot run. Pure."""

import re
from collections.abc import Collection

from tfcarve.prepare.compare.side import Side
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.graph import tables
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, data_inputs

# The node that failed, as TensorFlow names it at the end of a message.
_NODE = re.compile(r"\[\[\{\{node ([^{}\s]+)\}\}")
# Messages about a state that no input changes.
_STATE = re.compile(r"(not |un)initialized|does not exist|Could not find", re.IGNORECASE)


def _depends_on(graph: Graph, name: str, fed: Collection[str]) -> bool:
    """Returns whether a node's values depend on fed nodes; true if the graph does not have the node."""
    known = by_name(graph)
    if name not in known:
        return True  # a node of a model that is not frozen
    seen = {name}
    todo = [name]
    while todo:
        node = todo.pop()
        if node in fed:
            return True
        new = {source.node for source in data_inputs(known[node])} & known.keys() - seen
        seen |= new
        todo += new
    return False


def advice(side: Side, error: Failed, fed: Collection[Ref]) -> str:
    """Returns advice to append to the message; "" if there is none.

    Args:
      side: the model that failed.
      error: TensorFlow's error.
      fed: the inputs that were fed.
    """
    text = str(error)
    if tables.NOT_INITIALIZED in text:
        for table in tables.unready(side.graph):
            return f": {table.what()}; {table.fix(side.name)}"
    named = _NODE.search(text)
    if named is None or _STATE.search(text):
        return ""
    names = {source.node for source in fed}
    return ": pass valid inputs with --data" if _depends_on(side.graph, named[1], names) else ""
