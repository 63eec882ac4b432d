"""Computes parts of a graph with TensorFlow, in a child process with bounded memory and time."""

import contextlib
import importlib.util
import itertools
import os
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.op_library import cannot_be_loaded, with_advice
from tfcarve.prepare.evaluate import framing
from tfcarve.prepare.evaluate.requests import (
    RESPONSE,
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
from tfcarve.prepare.evaluate.session_config import session_config
from tfcarve.prepare.graph import graph_file, tensors
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import OpDef, OpList, TensorProto

# The memory limit: a fixed part for TensorFlow itself, and a multiple of the graph's size.
_BASE_MEMORY = 3 << 30
_MEMORY_PER_BYTE = 8
_MAX_SECONDS = 900
_MAX_MESSAGE = 600
_LIBRARY = "libtensorflow_cc.so.2"
# The folder from which this package is imported.
_PACKAGES = Path(__file__).parents[3]


class Failed(Exception):
    """TensorFlow rejected the graph or its values; the text is its message."""


def _libraries() -> Path | None:
    found = importlib.util.find_spec("tensorflow")
    folder = Path(found.origin).parent if found and found.origin else None
    return folder if folder is not None and (folder / _LIBRARY).is_file() else None


def installed() -> bool:
    """Returns whether the tensorflow package is installed."""
    return _libraries() is not None


def libraries() -> Path:
    """Returns the folder of the tensorflow package; raises InvalidInput if it is not installed."""
    folder = _libraries()
    if folder is None:
        raise InvalidInput(full_tensorflow.not_installed())
    return folder


class Loaded:
    """A graph that the child process has loaded."""

    def __init__(self, evaluator: "Evaluator", number: int) -> None:
        self._evaluator = evaluator
        self._number = number

    def outputs(self) -> dict[str, list[Output]]:
        """Returns for each node the types and shapes of its outputs, as far as TensorFlow infers them."""
        response, _ = self._evaluator.request(OutputsRequest(graph=self._number))
        return response.outputs

    def run(
        self,
        outputs: Sequence[Ref],
        feeds: Mapping[Ref, TensorProto],
        targets: Sequence[str] = (),
    ) -> list[TensorProto]:
        """Returns the values of `outputs`, and runs the nodes `targets`; raises Failed if TensorFlow can't compute them."""
        response, parts = self._evaluator.request(
            RunRequest(
                graph=self._number,
                feeds=tuple(
                    Feed(Port(*ref), tensor.dtype, tensors.shape(tensor, ref.node))
                    for ref, tensor in feeds.items()
                ),
                outputs=tuple(Port(*ref) for ref in outputs),
                targets=tuple(targets),
            ),
            [_content(tensor, ref.node) for ref, tensor in feeds.items()],
        )
        return [_tensor(output, data) for output, data in zip(response.tensors, parts, strict=True)]


def _content(tensor: TensorProto, where: str) -> bytes:
    if tensor.tensor_content and tensor.dtype != tensors.STRING:
        return tensor.tensor_content
    array = tensors.to_array(tensor, where)
    if tensor.dtype != tensors.STRING:
        return array.tobytes()
    return b"".join(struct.pack("<Q", len(s)) + s for s in array.reshape(-1).tolist())


def _texts(data: bytes) -> Iterator[bytes]:
    offset = 0
    while offset < len(data):
        (length,) = struct.unpack_from("<Q", data, offset)
        yield data[offset + 8 : offset + 8 + length]
        offset += 8 + length


def _tensor(output: Output, data: bytes) -> TensorProto:
    tensor = TensorProto(dtype=output.dtype)
    for size in output.shape or ():
        tensor.tensor_shape.dim.add(size=size)
    if output.dtype == tensors.STRING:
        tensor.string_val.extend(_texts(data))
    else:
        tensor.tensor_content = data
    return tensor


class Evaluator:
    """TensorFlow in a child process, which starts with the first request at the latest."""

    def __init__(self, size: int = 0, op_libraries: Sequence[str] = ()) -> None:
        """Sets the memory limit for graphs of about `size` bytes, and the libraries with custom ops to load."""
        self._memory = _BASE_MEMORY + _MEMORY_PER_BYTE * size
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: Any = None
        self._numbers = itertools.count()
        self._op_libraries = op_libraries
        self._to_load: list[str] = []
        self._kept: dict[bytes, Loaded] = {}

    @cached_property
    def op_defs(self) -> Mapping[str, OpDef]:
        """The OpDefs of all ops, by name."""
        _, (data,) = self.request(OpListRequest())
        return {op.name: op for op in OpList.FromString(data).op}

    def known_op_defs(self) -> Mapping[str, OpDef]:
        """Returns op_defs, or none if tensorflow is not installed."""
        return self.op_defs if installed() else {}

    @contextmanager
    def loaded(self, graph: Graph, threads: int = 1) -> Iterator[Loaded]:
        """Loads a graph for the duration of the block; raises Failed if TensorFlow rejects it.

        With one thread, sums are always computed in the same order.
        """
        parts = [graph_file.to_bytes(graph), session_config(threads)]
        with self._loaded(LoadRequest(graph=next(self._numbers)), parts) as found:
            yield found

    def kept(self, graph: Graph) -> Loaded:
        """Loads a small graph, unless the process has it already. It stays until the process ends.

        Raises Failed if TensorFlow rejects it.
        """
        data = graph_file.to_bytes(graph)
        if data not in self._kept:
            number = next(self._numbers)
            self.request(LoadRequest(graph=number), [data, session_config(threads=1)])
            self._kept[data] = Loaded(self, number)
        return self._kept[data]

    @contextmanager
    def saved_model(self, folder: Path, tags: Sequence[str]) -> Iterator[Loaded]:
        """Loads the graph of a SavedModel with exactly `tags`, with its variables and tables; see `loaded`."""
        number = next(self._numbers)
        request = SavedModelRequest(graph=number, path=str(folder), tags=tuple(tags))
        with self._loaded(request, [session_config(threads=1)]) as found:
            yield found

    @contextmanager
    def _loaded(
        self, request: LoadRequest | SavedModelRequest, parts: Sequence[bytes]
    ) -> Iterator[Loaded]:
        number = request.graph
        self.request(request, parts)
        try:
            yield Loaded(self, number)
        finally:
            if self._process is not None:
                self.request(UnloadRequest(graph=number))

    def request(self, head: Request, parts: Sequence[bytes] = ()) -> tuple[Response, list[bytes]]:
        """Sends a request and returns the response.

        Raises:
          Failed: TensorFlow reported an error.
          InvalidInput: the process exceeded its memory or time limit, or a library cannot be loaded.
        """
        self.begin()
        while self._to_load:
            path = self._to_load.pop(0)
            try:
                self._exchange(LibraryRequest(path=path))
            except Failed as error:
                raise InvalidInput(cannot_be_loaded(path, str(error))) from None
        return self._exchange(head, parts)

    def _exchange(self, head: Request, parts: Sequence[bytes] = ()) -> tuple[Response, list[bytes]]:
        process = self._process
        assert process is not None
        watch = threading.Timer(2 * _MAX_SECONDS, process.kill)
        watch.start()
        try:
            assert process.stdin and process.stdout
            framing.send(process.stdin, head, parts)  # type: ignore[arg-type]
            response, data = framing.receive(process.stdout, RESPONSE)  # type: ignore[arg-type]
        except (EOFError, BrokenPipeError):
            raise self._ended(process) from None
        finally:
            watch.cancel()
        if response.error is not None:
            raise Failed(with_advice(response.error[:_MAX_MESSAGE]))
        return response, data

    def begin(self) -> None:
        """Starts the process if it is not running; TensorFlow loads in the background."""
        if self._process is None:
            folder = libraries()
            self._messages = tempfile.TemporaryFile()  # noqa: SIM115
            self._to_load = list(self._op_libraries)
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-P", "-m", "tfcarve.prepare.evaluate.process"),
                    *(str(folder), str(self._memory), str(_MAX_SECONDS)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._messages,
                env={
                    **os.environ,
                    **full_tensorflow.SETTINGS,
                    "PYTHONPATH": str(_PACKAGES),
                },
            )

    def _ended(self, process: "subprocess.Popen[bytes]") -> InvalidInput:
        status = process.wait()
        self._messages.seek(0)
        lines = self._messages.read().decode(errors="replace").strip().splitlines()
        message = f": {lines[-1][:_MAX_MESSAGE]}" if lines else ""
        self.close()
        return InvalidInput(
            f"TensorFlow's process ended with status {status}{message}: computing constants needs more than "
            f"{self._memory >> 20} MB or {_MAX_SECONDS} s"
        )

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        self._kept.clear()
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    assert stream
                    stream.close()
            process.wait()
            self._messages.close()

    def __enter__(self) -> "Evaluator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
