"""The digest by which ranges.json names the model that was measured."""

import hashlib

from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.graph_file import pieces


def digest(graph: Graph) -> str:
    """Returns the SHA-256 of the serialized GraphDef."""
    found = hashlib.sha256()
    for piece in pieces(graph):
        found.update(piece)
    return found.hexdigest()
