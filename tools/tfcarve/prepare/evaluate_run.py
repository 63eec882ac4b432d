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
from tfcarve.prepare import c_api
from tfcarve.prepare.c_api import Buffer, Output
from tfcarve.prepare.framing import receive, send

_STRING = 7
_STRING_SIZE = 24  # sizeof(TF_TString)
_OK = 0
_Json = dict[str, Any]


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

    def op_list(self, _: _Json, __: Sequence[bytes]) -> tuple[_Json, list[bytes]]:
        """Returns the OpList of all registered ops."""
        buffer = self._tf.TF_GetAllOpList().contents
        return {}, [ctypes.string_at(buffer.data, buffer.length)]

    def load(self, request: _Json, parts: Sequence[bytes]) -> tuple[_Json, list[bytes]]:
        """Loads a graph; the parts are a GraphDef and a ConfigProto."""
        definition, config = parts
        graph = self._tf.TF_NewGraph()
        buffer = Buffer(ctypes.cast(c_char_p(definition), c_void_p), len(definition), None)
        options = self._tf.TF_NewImportGraphDefOptions()
        self._tf.TF_GraphImportGraphDef(graph, byref(buffer), options, self._status)
        self._check()
        settings = self._tf.TF_NewSessionOptions()
        self._tf.TF_SetConfig(settings, config, len(config), self._status)
        self._check()
        session = self._tf.TF_NewSession(graph, settings, self._status)
        self._check()
        self._graphs[request["graph"]] = (graph, session)
        return {}, []

    def unload(self, request: _Json, _: Sequence[bytes]) -> tuple[_Json, list[bytes]]:
        """Releases a graph."""
        graph, session = self._graphs.pop(request["graph"])
        self._tf.TF_CloseSession(session, self._status)
        self._tf.TF_DeleteSession(session, self._status)
        self._tf.TF_DeleteGraph(graph)
        return {}, []

    def outputs(self, request: _Json, _: Sequence[bytes]) -> tuple[_Json, list[bytes]]:
        """Returns for each node the types and shapes of its outputs, as far as they are known."""
        graph, _session = self._graphs[request["graph"]]
        place = c_size_t(0)
        found: dict[str, list[tuple[int, list[int] | None]]] = {}
        while operation := self._tf.TF_GraphNextOperation(graph, byref(place)):
            count = self._tf.TF_OperationNumOutputs(operation)
            name = self._tf.TF_OperationName(operation).decode()
            found[name] = [self._output(graph, Output(operation, i)) for i in range(count)]
        return {"outputs": found}, []

    def _output(self, graph: int, output: Output) -> tuple[int, list[int] | None]:
        number = self._tf.TF_OperationOutputType(output)
        rank = self._tf.TF_GraphGetTensorNumDims(graph, output, self._status)
        self._check()
        if rank < 0:
            return number, None
        dims = (c_int64 * max(rank, 1))()
        self._tf.TF_GraphGetTensorShape(graph, output, dims, rank, self._status)
        self._check()
        return number, list(dims[:rank])

    def run(self, request: _Json, parts: Sequence[bytes]) -> tuple[_Json, list[bytes]]:
        """Runs a graph; the parts are the values of the feeds."""
        graph, session = self._graphs[request["graph"]]
        feeds, fetches = request["feeds"], request["fetches"]
        fed = (c_void_p * max(len(feeds), 1))()
        got = (c_void_p * max(len(fetches), 1))()
        try:
            for i, ((_, _, number, dims), data) in enumerate(zip(feeds, parts, strict=True)):
                fed[i] = self._tensor(number, dims, data)
            self._tf.TF_SessionRun(
                session,
                None,
                self._places(graph, feeds),
                fed,
                len(feeds),
                self._places(graph, fetches),
                got,
                len(fetches),
                None,
                0,
                None,
                self._status,
            )
            self._check()
            read = [self._values(got[i] or 0) for i in range(len(fetches))]
        finally:
            for tensor in (*fed, *got):
                if tensor:
                    self._tf.TF_DeleteTensor(tensor)
        return {"tensors": [head for head, _ in read]}, [data for _, data in read]

    def _places(self, graph: int, named: Sequence[Sequence[Any]]) -> Any:
        places = (Output * max(len(named), 1))()
        for i, (name, index, *_) in enumerate(named):
            operation = self._tf.TF_GraphOperationByName(graph, name.encode())
            if not operation or not 0 <= index < self._tf.TF_OperationNumOutputs(operation):
                raise Failed(f"the tensor {name}:{index} does not exist")
            places[i] = Output(operation, index)
        return places

    def _tensor(self, number: int, dims: Sequence[int], data: bytes) -> int:
        count = math.prod(dims)
        size = count * _STRING_SIZE if number == _STRING else len(data)
        sizes = (c_int64 * max(len(dims), 1))(*dims)
        tensor: int = self._tf.TF_AllocateTensor(number, sizes, len(dims), size)
        start = self._tf.TF_TensorData(tensor)
        if number != _STRING:
            ctypes.memmove(start, data, len(data))
            return tensor
        place = 0
        for i in range(count):
            (length,) = struct.unpack_from("<Q", data, place)
            text = data[place + 8 : place + 8 + length]
            place += 8 + length
            self._tf.TF_StringInit(start + i * _STRING_SIZE)
            self._tf.TF_StringCopy(start + i * _STRING_SIZE, text, len(text))
        return tensor

    def _values(self, tensor: int) -> tuple[tuple[int, list[int]], bytes]:
        number = self._tf.TF_TensorType(tensor)
        dims = [self._tf.TF_Dim(tensor, i) for i in range(self._tf.TF_NumDims(tensor))]
        start = self._tf.TF_TensorData(tensor)
        if number != _STRING:
            size = self._tf.TF_TensorByteSize(tensor)
            return (number, dims), ctypes.string_at(start, size) if size else b""
        pieces = []
        for i in range(math.prod(dims)):
            place = start + i * _STRING_SIZE
            length = self._tf.TF_StringGetSize(place)
            pieces.append(struct.pack("<Q", length))
            pieces.append(ctypes.string_at(self._tf.TF_StringGetDataPointer(place), length))
        return (number, dims), b"".join(pieces)


def main(folder: str, memory: str, seconds: str) -> None:
    """Answers requests until standard input ends, with limits on memory in bytes and processor time in seconds."""
    limit(resource.RLIMIT_DATA, int(memory))
    limit(resource.RLIMIT_CPU, int(seconds))
    limit(resource.RLIMIT_CORE, 0)
    answers = sys.stdout.buffer
    runner = Runner(Path(folder))
    while True:
        try:
            request, parts = receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            head, data = getattr(runner, request["do"])(request, parts)
        except Failed as error:
            head, data = {"error": str(error)}, []
        send(answers, head, data)


if __name__ == "__main__":
    main(*sys.argv[1:])
