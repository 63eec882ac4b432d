"""The heads of the messages between the evaluator and its child process."""

from msgspec import field
from msgspec.json import Decoder

from tfcarve.json_codec import JsonDocument


class Output(JsonDocument, frozen=True, array_like=True):
    """The type and shape of an output.

    Attributes:
      dtype: the number of its DataType.
      shape: -1 for an unknown dimension; None if the rank is unknown.
    """

    dtype: int
    shape: tuple[int, ...] | None

    def known(self) -> bool:
        """Returns whether all dimensions are known."""
        return self.shape is not None and all(size >= 0 for size in self.shape)


class Port(JsonDocument, frozen=True, array_like=True):
    """An output of a node, by the node's name."""

    node: str
    output: int


class Feed(JsonDocument, frozen=True, array_like=True):
    """A fed tensor; its values are in a part of the message."""

    port: Port
    dtype: int
    shape: tuple[int, ...]


class OpListRequest(JsonDocument, frozen=True, tag="op_list"):
    """Requests the OpList of all registered ops."""


class LibraryRequest(JsonDocument, frozen=True, tag="library"):
    """Loads a shared library with custom ops."""

    path: str


class LoadRequest(JsonDocument, frozen=True, tag="load"):
    """Loads a graph under a number; the parts are a GraphDef and a ConfigProto."""

    graph: int


class SavedModelRequest(JsonDocument, frozen=True, tag="saved_model"):
    """Loads the graph of a SavedModel with exactly these tags under a number; the part is a ConfigProto."""

    graph: int
    path: str
    tags: tuple[str, ...]


class UnloadRequest(JsonDocument, frozen=True, tag="unload"):
    """Releases a graph."""

    graph: int


class OutputsRequest(JsonDocument, frozen=True, tag="outputs"):
    """Requests the types and shapes of all outputs of a graph."""

    graph: int


class RunRequest(JsonDocument, frozen=True, tag="run"):
    """Runs a graph; the parts are the values of the feeds.

    Attributes:
      graph: the graph.
      feeds: the fed tensors.
      outputs: the outputs to return.
      targets: the nodes to run in addition.
    """

    graph: int
    feeds: tuple[Feed, ...]
    outputs: tuple[Port, ...]
    targets: tuple[str, ...] = ()


Request = (
    LibraryRequest
    | OpListRequest
    | LoadRequest
    | SavedModelRequest
    | UnloadRequest
    | OutputsRequest
    | RunRequest
)


class Response(JsonDocument, frozen=True):
    """The response to any request.

    Attributes:
      error: TensorFlow's message; None on success.
      outputs: for an OutputsRequest the outputs of each node.
      tensors: for a RunRequest the types and shapes of the outputs; their values are parts of the message.
    """

    error: str | None = None
    outputs: dict[str, list[Output]] = field(default_factory=dict)
    tensors: tuple[Output, ...] = ()


REQUEST = Decoder[Request](Request)
RESPONSE = Decoder(Response)
