"""Opens the frozen graph that a command rewrites."""

from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models import graph_def, memmapped, meta_graph
from tfcarve.models.mapped_file import mapped
from tfcarve.models.wire import Budget, Buffer, WireError


def frozen_graph(path: Path) -> Buffer:
    """Maps a GraphDef into memory.

    Raises:
      InvalidInput: the file cannot be read or is not a GraphDef.
    """
    data = mapped(path)
    try:
        if meta_graph.is_saved_model(data):
            raise InvalidInput(f"{path}: is a SavedModel: pass a frozen GraphDef")
        if memmapped.is_package(data):
            raise InvalidInput(f"{path}: {memmapped.NOT_A_GRAPH}")
        graph_def.graph(data, 0, len(data), str(path), Budget(len(data)))
    except WireError as error:
        raise InvalidInput(f"{path}: {error}") from None
    return data
