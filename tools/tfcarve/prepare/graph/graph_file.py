"""Reads GraphDef files in bounded memory and writes them node by node."""

from collections.abc import Iterator
from pathlib import Path

from google.protobuf import message, text_format

from tfcarve import files
from tfcarve.errors import InvalidInput
from tfcarve.models import graph_def, graph_text, meta_graph
from tfcarve.models.mapped_file import mapped
from tfcarve.models.text_format import TextError, for_protobuf
from tfcarve.models.wire import BYTES, Budget, Buffer, Pass, WireError, fields
from tfcarve.models.wire_write import begin, bytes_field, tag, varint
from tfcarve.prepare.graph.graph import Graph, require_new
from tfcarve.prepare.graph.graph_check import check, check_constants
from tfcarve.prepare.graph.messages import FunctionDefLibrary, GraphDef, NodeDef

_NODE, _LIBRARY = 1, 2


def _from_binary(data: Buffer, path: Path) -> Graph:
    graph_def.graph(data, 0, len(data), str(path), Budget(len(data)))
    nodes: dict[str, NodeDef] = {}
    library = FunctionDefLibrary()
    versions = b""
    looking = Pass(data)
    for number, kind, a, b in fields(data, 0, len(data)):
        if kind != BYTES:
            versions += tag(number, kind) + varint(a)  # the deprecated field `version`
            continue
        looking.at(a)
        content = bytes(data[a:b])
        if number == _NODE:
            node = NodeDef.FromString(content)
            # Checked now, because many equal nodes take far more memory than their bytes.
            require_new(node.name, nodes)
            nodes[node.name] = node
        elif number == _LIBRARY:
            library.MergeFromString(content)
        else:
            versions += bytes_field(number, content)
    return Graph(list(nodes.values()), library, versions)


def from_message(whole: GraphDef) -> Graph:
    """Converts a GraphDef message to a Graph with copies of its nodes."""
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
    kind, binary = graph_text.to_binary(data)  # in bounded memory, without tensors
    if kind != "graphdef":
        raise InvalidInput(
            f"{path}: is a {kind}: freeze it first: tfcarve freeze {path} -o model.pb"
        )
    graph_def.graph(binary, 0, len(binary), str(path), Budget(len(binary)))
    whole = GraphDef()
    try:
        text_format.Parse(for_protobuf(data), whole)
    except UnicodeDecodeError:
        raise InvalidInput(f'{path}: not UTF-8: escape other bytes, for example "\\377"') from None
    return from_message(whole)


def read_graph(path: Path) -> Graph:
    """Reads a binary or text (.pbtxt, .pb.txt) GraphDef; raises the errors of `parse`, and InvalidInput if the file does not exist."""
    return parse(mapped(path), path)


def parse(data: Buffer, path: Path) -> Graph:
    """Parses `data`, the content of the GraphDef file `path`; it is text if its name ends in .pbtxt or .pb.txt.

    Raises InvalidInput, with the file, the offset or node and the fix, if it is not a GraphDef, is damaged, or is
    an invalid graph: duplicate or missing nodes, a cycle, a constant whose values do not match its shape.
    """
    try:
        if graph_text.has_name(path):
            graph = _from_text(data, path)
        elif meta_graph.is_saved_model(data):
            raise InvalidInput(
                f"{path}: is a SavedModel: freeze it first: tfcarve freeze {path.parent} -o model.pb"
            )
        else:
            graph = _from_binary(data, path)
        check(graph)
        check_constants(graph.nodes)
        for function in graph.library.function:
            check_constants(function.node_def)
    except (WireError, TextError, text_format.ParseError, message.DecodeError) as error:
        raise InvalidInput(f"{path}: {error}") from None
    except InvalidInput as error:
        raise (
            error if str(error).startswith(str(path)) else InvalidInput(f"{path}: {error}")
        ) from None
    if not graph.nodes:
        raise InvalidInput(f"{path}: the graph has no nodes")
    return graph


def pieces(graph: Graph) -> Iterator[bytes]:
    """Yields the serialized GraphDef in pieces of at most one node. Equal graphs give equal bytes."""
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
    """Returns the serialized GraphDef."""
    return b"".join(pieces(graph))


def write_graph(path: Path, graph: Graph) -> int:
    """Writes the GraphDef atomically, as text if its name ends in .pbtxt or .pb.txt; returns its number of bytes."""
    if not graph_text.has_name(path):
        return files.write_pieces(path, pieces(graph))
    text = text_format.MessageToString(GraphDef.FromString(to_bytes(graph))).encode()
    files.write_if_changed(path, text)
    return len(text)
