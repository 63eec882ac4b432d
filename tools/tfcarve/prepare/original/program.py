"""The program that runs a model as TensorFlow loads it; tfcarve.full_tensorflow runs it in a child process.

usage: program FOLDER, with FOLDER/request; writes FOLDER/result.

TensorFlow's own loaders load a SavedModel, also one that Keras exports: the loader in its C API for a signature, the loader in
TensorFlow 2's Python package for a function. A GraphDef or MetaGraphDef is imported and gets its variables from the checkpoint.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.full_tensorflow import Limits
from tfcarve.models.saved_functions import Function
from tfcarve.newer import data as newer_data
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.evaluate.evaluator import Loaded as Session
from tfcarve.prepare.evaluate.framing import receive, send
from tfcarve.prepare.freeze import fixed, load, source
from tfcarve.prepare.freeze.interface import Port, interface
from tfcarve.prepare.freeze.load import Loaded
from tfcarve.prepare.freeze.ops import Ops
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.run import export_keras
from tfcarve.prepare.freeze.tensor_names import parsed
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.graph.tensors import Array
from tfcarve.prepare.original.exchange import REQUEST_FILE, RESULT_FILE, exchange
from tfcarve.prepare.original.messages import REQUEST, FunctionRequest, RunRequest, RunResult
from tfcarve.prepare.original.variables import restorable
from tfcarve.releases import known

# TensorFlow's message for a variable that the graph of a SavedModel does not restore.
_NO_VARIABLE = re.compile(r"Could not find variable (\S+)\.")
_FUNCTION_PROGRAM = "tfcarve.prepare.original.function_program"


@dataclass(frozen=True, slots=True)
class _Ports:
    """The inputs and outputs of the frozen graph by name, and the values of constant inputs by their Placeholder."""

    inputs: Mapping[str, Port]
    outputs: Mapping[str, Port]
    fixed: Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class _Model:
    """A loaded model with the request to run it.

    Attributes:
      loaded: its graph.
      request: the request.
      folder: has the SavedModel that was exported from a Keras file.
      ops: the OpDefs.
    """

    loaded: Loaded
    request: RunRequest
    folder: Path
    ops: Ops

    def run(self, parts: Sequence[bytes]) -> Iterator[bytes]:
        """Yields the serialized values of the outputs for each sample; `parts` are the values of the inputs."""
        ports = self._ports()
        fed = [ports.inputs[n].tensor if n in ports.inputs else n for n in self.request.inputs]
        outputs = [ports.outputs[name].tensor for name in self.request.outputs]
        constant = {Ref(name): tensors.from_array(value) for name, value in ports.fixed.items()}
        with self._session(outputs) as session:
            for one in self._samples(parts):
                feeds = {
                    Ref(*parsed(t)): TensorProto.FromString(p)
                    for t, p in zip(fed, one, strict=True)
                }
                found = session.run([Ref(*parsed(tensor)) for tensor in outputs], constant | feeds)
                yield from (tensor.SerializeToString() for tensor in found)

    def run_function(self, function: Function, parts: Sequence[bytes]) -> tuple[str, list[bytes]]:
        """Runs a function of the SavedModel; returns an error or "", and the values as `run` yields them."""
        ports = self._ports()
        model = self.request.model
        constant = {
            port.given: tensors.from_array(ports.fixed[node]).SerializeToString()
            for port in ports.inputs.values()
            if (node := parsed(port.tensor)[0]) in ports.fixed
        }
        call = FunctionRequest(
            folder=str(self._saved_model),
            tags=model.options.tags,
            op_libraries=model.options.op_libraries,
            function=function,
            samples=self.request.samples,
            inputs=(*(ports.inputs[name].given for name in self.request.inputs), *constant),
            outputs=tuple(ports.outputs[name].given for name in self.request.outputs),
        )
        fed = [each for one in self._samples(parts) for each in (*one, *constant.values())]
        limits = Limits.of_model(source.size(model) + sum(map(len, parts)))
        return exchange(_FUNCTION_PROGRAM, call, fed, limits)

    def _ports(self) -> _Ports:
        """Returns the inputs and outputs; raises InvalidInput if a requested output is missing."""
        model = self.request.model
        sides = interface(self.loaded, model.options, self.ops, model.name)
        inputs = {port.name: port for port in sides.inputs or ()}
        outputs = {port.name: port for port in sides.outputs}
        missing = [name for name in self.request.outputs if name not in outputs]
        if missing:
            raise InvalidInput(
                f"{model.name}: {missing[0]!r} is not an output of the model: it has {', '.join(outputs)}"
            )
        return _Ports(inputs, outputs, fixed.values(self.loaded, sides, model.options))

    @property
    def _saved_model(self) -> Path:
        model = self.request.model
        return self.folder / load.EXPORTED if model.kind == "keras" else Path(model.path)

    def _samples(self, parts: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
        count = len(self.request.inputs)
        for number in range(self.request.samples):
            yield parts[number * count : (number + 1) * count]

    @contextmanager
    def _session(self, outputs: Sequence[str]) -> Iterator[Session]:
        """Yields the graph of the model with its variables."""
        model, evaluator = self.request.model, self.ops.evaluator
        if model.kind in ("saved_model", "keras"):
            with evaluator.saved_model(self._saved_model, model.options.tags) as session:
                yield session
            return
        found = restorable(self.loaded, model, outputs, self.ops)
        with evaluator.loaded(found.graph) as session:
            found.restore(session)
            yield session


def _advised(message: str) -> str:
    """Returns TensorFlow's message with what to do; "" if it is not one of an unrestored variable."""
    found = _NO_VARIABLE.search(message)
    if found is None:
        return ""
    return (
        f"its graph does not restore the variable {found[1]!r}: tf.saved_model.save writes such graphs for models of "
        "Keras 3: save the model with model.export(FOLDER), or compare its .keras file"
    )


def run(request: RunRequest, parts: Sequence[bytes], folder: Path) -> tuple[str, list[bytes]]:
    """Runs the model of a request.

    Args:
      request: the request.
      parts: its serialized TensorProtos.
      folder: for temporary files.

    Returns:
      RunResult.error and the serialized TensorProtos of the outputs of all samples before it.
    """
    results: list[bytes] = []
    model = request.model
    newer = newer_data.load(known.release(model.release))
    try:
        with Evaluator(source.size(model), model.options.op_libraries) as evaluator:
            evaluator.begin()
            if model.kind == "keras":
                export_keras(model, folder)
            loaded = load.source(model, folder, evaluator)
            ops = Ops(loaded.graph.library.function, evaluator, newer)
            opened = _Model(loaded, request, folder, ops)
            if loaded.function is not None:
                return opened.run_function(loaded.function, parts)
            for value in opened.run(parts):
                results.append(value)  # an error keeps the values before it
    except InvalidInput as invalid:
        return str(invalid), results
    except Failed as failed:
        return _advised(str(failed)) or reason(failed), results
    return "", results


def main(argument: str) -> None:
    """Runs the model in FOLDER/request."""
    folder = Path(argument)
    with (folder / REQUEST_FILE).open("rb") as stream:
        request, parts = receive(stream, REQUEST)
    error, results = run(request, parts, folder)
    with (folder / RESULT_FILE).open("wb") as stream:
        send(stream, RunResult(error=error), results)


if __name__ == "__main__":
    main(*sys.argv[1:])
