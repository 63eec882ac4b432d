"""GraphDef files, read in bounded memory and written node by node."""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf import message, text_format

from tfcarve import files
from tfcarve.errors import InvalidInput
from tfcarve.models import graph_def, graph_text, meta_graph
from tfcarve.models.mapped_file import mapped
from tfcarve.models.text_format import TextError
from tfcarve.models.wire import BYTES, Budget, Buffer, Pass, WireError, fields
from tfcarve.models.wire_write import begin, tag, varint
from tfcarve.prepare.graph import Graph, check, require_new
from tfcarve.prepare.messages import FunctionDefLibrary, GraphDef, NodeDef

_NODE, _LIBRARY = 1, 2


def _from_binary(data: Buffer, path: Path) -> Graph:
    graph_def.graph(data, 0, len(data), str(path), Budget(len(data)))
    nodes: dict[str, NodeDef] = {}
    library = FunctionDefLibrary()
    versions = b""
    looking = Pass(data)
    for number, kind, a, b in fields(data, 0, len(data)):
        if kind != BYTES:
            versions += tag(number, kind) + varint(a)  # `version`, which none sets now
            continue
        looking.at(a)
        content = bytes(data[a:b])
        if number == _NODE:
            node = NodeDef.FromString(content)
            require_new(
                node.name, nodes
            )  # at once: many that are equal take far more than their bytes
            nodes[node.name] = node
        elif number == _LIBRARY:
            library.MergeFromString(content)
        else:
            versions += begin(number, len(content)) + content
    return Graph(list(nodes.values()), library, versions)


def from_message(whole: GraphDef) -> Graph:
    """Returns a Graph of a GraphDef message; its nodes are copies."""
    nodes = []
    for node in whole.node:
        nodes.append(NodeDef())
        nodes[-1].CopyFrom(node)
    library = FunctionDefLibrary()
    library.CopyFrom(whole.library)
    whole.ClearField("node")
    whole.ClearField("library")
    return Graph(nodes, library, whole.SerializeToString(deterministic=True))


def _from_text(data: Buffer, path: Path) -> Graph:
    kind, binary = graph_text.to_binary(data)  # in bounded memory; tensors are not in it
    if kind != "graphdef":
        raise InvalidInput(
            f"{path}: is a {kind}: freeze it first: tfcarve freeze {path} -o model.pb"
        )
    graph_def.graph(binary, 0, len(binary), str(path), Budget(len(binary)))
    whole = GraphDef()
    text_format.Parse(bytes(data[:]), whole)
    return from_message(whole)


def read_graph(path: Path) -> Graph:
    """Reads a GraphDef, binary or (.pbtxt) text; raises InvalidInput as `parse` does, or where there is no such file."""
    return parse(mapped(path), path)


def parse(data: Buffer, path: Path) -> Graph:
    """Returns the GraphDef in `data`, which the file `path` holds: text where that ends in .pbtxt.

    Raises InvalidInput, with the file, the place or node and the fix, where it is none, is damaged or is no graph
    that could run: names that are there twice or not at all, a cycle.
    """
    try:
        if path.suffix.lower() in graph_text.SUFFIXES:
            graph = _from_text(data, path)
        elif meta_graph.is_saved_model(data):
            raise InvalidInput(
                f"{path}: is a SavedModel: freeze it first: tfcarve freeze {path.parent} -o model.pb"
            )
        else:
            graph = _from_binary(data, path)
        check(graph)
    except (WireError, TextError, text_format.ParseError, message.DecodeError) as error:
        raise InvalidInput(f"{path}: {error}") from None
    except InvalidInput as error:
        raise (
            error if str(error).startswith(str(path)) else InvalidInput(f"{path}: {error}")
        ) from None
    if not graph.nodes:
        raise InvalidInput(f"{path}: a graph with no nodes: give a model that computes something")
    return graph


def pieces(graph: Graph) -> Iterator[bytes]:
    """Yields the GraphDef in binary form, in pieces of a node at most: the same bytes for the same graph."""
    for node in graph.nodes:
        content = node.SerializeToString(deterministic=True)
        yield begin(_NODE, len(content))
        yield content
    library = graph.library.SerializeToString(deterministic=True)
    if library:
        yield begin(_LIBRARY, len(library))
        yield library
    yield graph.versions


def to_bytes(graph: Graph) -> bytes:
    """Returns the GraphDef in binary form."""
    return b"".join(pieces(graph))


def write_graph(path: Path, graph: Graph) -> None:
    """Writes the GraphDef, as text where `path` ends in .pbtxt; whole or not at all."""
    if path.suffix.lower() in graph_text.SUFFIXES:
        whole = GraphDef.FromString(to_bytes(graph))
        files.write_if_changed(path, text_format.MessageToString(whole).encode())
    else:
        files.write_pieces(path, pieces(graph))
