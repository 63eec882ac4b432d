"""The child process of evaluate.py: runs graphs with TensorFlow's C API.

It reads requests from standard input and writes responses to standard output. It loads the wheel's libraries without
importing tensorflow, which takes half the memory and a fifth of the time.
"""

import ctypes
import math
import resource
import struct
import sys
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_int64, c_size_t, c_void_p
from pathlib import Path
from typing import Any

from tfcarve.full_tensorflow import limit
from tfcarve.prepare.evaluate import c_api
from tfcarve.prepare.evaluate.c_api import Buffer
from tfcarve.prepare.evaluate.framing import receive, send
from tfcarve.prepare.evaluate.requests import (
    REQUEST,
    Feed,
    LibraryRequest,
    LoadRequest,
    OpListRequest,
    Output,
    OutputsRequest,
    Port,
    Request,
    Response,
    RunRequest,
    SavedModelRequest,
    UnloadRequest,
)

_STRING = 7
_STRING_SIZE = 24  # sizeof(TF_TString)
_OK = 0


class Failed(Exception):
    """TensorFlow reported an error; the text is its message."""


class Runner:
    """The loaded graphs with their sessions, by the numbers that the parent assigns."""

    def __init__(self, folder: Path) -> None:
        self._tf = c_api.load(folder)
        self._status = self._tf.TF_NewStatus()
        self._graphs: dict[int, tuple[int, int]] = {}

    def _check(self) -> None:
        if self._tf.TF_GetCode(self._status) != _OK:
            raise Failed(self._tf.TF_Message(self._status).decode(errors="replace"))

    def answer(self, request: Request, parts: Sequence[bytes]) -> tuple[Response, list[bytes]]:
        """Answers a request; raises Failed with TensorFlow's message."""
        match request:
            case LibraryRequest(path=path):
                self._tf.TF_LoadLibrary(path.encode(), self._status)
                self._check()
                return Response(), []
            case OpListRequest():
                buffer = self._tf.TF_GetAllOpList().contents
                return Response(), [ctypes.string_at(buffer.data, buffer.length)]
            case LoadRequest(graph=number):
                self._graphs[number] = self._load(*parts)
                return Response(), []
            case SavedModelRequest(graph=number):
                self._graphs[number] = self._load_saved_model(request, *parts)
                return Response(), []
            case UnloadRequest(graph=number):
                self._unload(*self._graphs.pop(number))
                return Response(), []
            case OutputsRequest(graph=number):
                return Response(outputs=self._outputs(self._graphs[number][0])), []
            case RunRequest():
                return self._run(request, parts)

    def _load(self, definition: bytes, config: bytes) -> tuple[int, int]:
        """Returns the graph of a GraphDef and its session with a ConfigProto."""
        graph = self._tf.TF_NewGraph()
        buffer = Buffer(ctypes.cast(c_char_p(definition), c_void_p), len(definition), None)
        options = self._tf.TF_NewImportGraphDefOptions()
        self._tf.TF_GraphImportGraphDef(graph, byref(buffer), options, self._status)
        self._check()
        session = self._tf.TF_NewSession(graph, self._settings(config), self._status)
        self._check()
        return graph, session

    def _load_saved_model(self, request: SavedModelRequest, config: bytes) -> tuple[int, int]:
        """Returns the graph of a SavedModel and its session. TensorFlow restores the variables and tables."""
        graph = self._tf.TF_NewGraph()
        tags = (c_char_p * max(len(request.tags), 1))(*map(str.encode, request.tags))
        session = self._tf.TF_LoadSessionFromSavedModel(
            self._settings(config),
            None,
            request.path.encode(),
            tags,
            len(request.tags),
            graph,
            None,
            self._status,
        )
        self._check()
        return graph, session

    def _settings(self, config: bytes) -> int:
        settings: int = self._tf.TF_NewSessionOptions()
        self._tf.TF_SetConfig(settings, config, len(config), self._status)
        self._check()
        return settings

    def _unload(self, graph: int, session: int) -> None:
        self._tf.TF_CloseSession(session, self._status)
        self._tf.TF_DeleteSession(session, self._status)
        self._tf.TF_DeleteGraph(graph)

    def _outputs(self, graph: int) -> dict[str, list[Output]]:
        position = c_size_t(0)
        found: dict[str, list[Output]] = {}
        while operation := self._tf.TF_GraphNextOperation(graph, byref(position)):
            count = self._tf.TF_OperationNumOutputs(operation)
            name = self._tf.TF_OperationName(operation).decode()
            found[name] = [self._output(graph, c_api.Output(operation, i)) for i in range(count)]
        return found

    def _output(self, graph: int, output: c_api.Output) -> Output:
        number = self._tf.TF_OperationOutputType(output)
        rank = self._tf.TF_GraphGetTensorNumDims(graph, output, self._status)
        self._check()
        if rank < 0:
            return Output(number, None)
        dims = (c_int64 * max(rank, 1))()
        self._tf.TF_GraphGetTensorShape(graph, output, dims, rank, self._status)
        self._check()
        return Output(number, tuple(dims[:rank]))

    def _run(self, request: RunRequest, parts: Sequence[bytes]) -> tuple[Response, list[bytes]]:
        graph, session = self._graphs[request.graph]
        feeds, outputs = request.feeds, request.outputs
        fed = (c_void_p * max(len(feeds), 1))()
        got = (c_void_p * max(len(outputs), 1))()
        try:
            for i, (feed, data) in enumerate(zip(feeds, parts, strict=True)):
                fed[i] = self._tensor(feed, data)
            self._tf.TF_SessionRun(
                session,
                None,
                self._ports(graph, [feed.port for feed in feeds]),
                fed,
                len(feeds),
                self._ports(graph, outputs),
                got,
                len(outputs),
                self._operations(graph, request.targets),
                len(request.targets),
                None,
                self._status,
            )
            self._check()
            read = [self._values(got[i] or 0) for i in range(len(outputs))]
        finally:
            for tensor in (*fed, *got):
                if tensor:
                    self._tf.TF_DeleteTensor(tensor)
        return Response(tensors=tuple(output for output, _ in read)), [data for _, data in read]

    def _operations(self, graph: int, names: Sequence[str]) -> Any:
        found = (c_void_p * max(len(names), 1))()
        for i, name in enumerate(names):
            found[i] = self._tf.TF_GraphOperationByName(graph, name.encode())
            if not found[i]:
                raise Failed(f"the node {name!r} does not exist")
        return found

    def _ports(self, graph: int, named: Sequence[Port]) -> Any:
        ports = (c_api.Output * max(len(named), 1))()
        for i, port in enumerate(named):
            operation = self._tf.TF_GraphOperationByName(graph, port.node.encode())
            if not operation or not 0 <= port.output < self._tf.TF_OperationNumOutputs(operation):
                raise Failed(f"the tensor {port.node}:{port.output} does not exist")
            ports[i] = c_api.Output(operation, port.output)
        return ports

    def _tensor(self, feed: Feed, data: bytes) -> int:
        number, dims = feed.dtype, feed.shape
        count = math.prod(dims)
        size = count * _STRING_SIZE if number == _STRING else len(data)
        sizes = (c_int64 * max(len(dims), 1))(*dims)
        tensor: int = self._tf.TF_AllocateTensor(number, sizes, len(dims), size)
        start = self._tf.TF_TensorData(tensor)
        if number != _STRING:
            ctypes.memmove(start, data, len(data))
            return tensor
        offset = 0
        for i in range(count):
            (length,) = struct.unpack_from("<Q", data, offset)
            text = data[offset + 8 : offset + 8 + length]
            offset += 8 + length
            self._tf.TF_StringInit(start + i * _STRING_SIZE)
            self._tf.TF_StringCopy(start + i * _STRING_SIZE, text, len(text))
        return tensor

    def _values(self, tensor: int) -> tuple[Output, bytes]:
        number = self._tf.TF_TensorType(tensor)
        dims = tuple(self._tf.TF_Dim(tensor, i) for i in range(self._tf.TF_NumDims(tensor)))
        start = self._tf.TF_TensorData(tensor)
        if number != _STRING:
            size = self._tf.TF_TensorByteSize(tensor)
            return Output(number, dims), ctypes.string_at(start, size) if size else b""
        pieces = []
        for i in range(math.prod(dims)):
            string = start + i * _STRING_SIZE
            length = self._tf.TF_StringGetSize(string)
            pieces.append(struct.pack("<Q", length))
            pieces.append(ctypes.string_at(self._tf.TF_StringGetDataPointer(string), length))
        return Output(number, dims), b"".join(pieces)


def main(folder: str, memory: str, seconds: str) -> None:
    """Answers requests until standard input ends, with limits on memory in bytes and processor time in seconds."""
    limit(resource.RLIMIT_DATA, int(memory))
    limit(resource.RLIMIT_CPU, int(seconds))
    limit(resource.RLIMIT_CORE, 0)
    responses = sys.stdout.buffer
    runner = Runner(Path(folder))
    while True:
        try:
            request, parts = receive(sys.stdin.buffer, REQUEST)
        except EOFError:
            return
        try:
            response, data = runner.answer(request, parts)
        except Failed as error:
            response, data = Response(error=str(error)), []
        send(responses, response, data)


if __name__ == "__main__":
    main(*sys.argv[1:])
