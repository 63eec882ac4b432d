"""Runs a model that is not frozen, in a child process with full TensorFlow."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve import full_tensorflow
from tfcarve.prepare.evaluate import Failed
from tfcarve.prepare.framing import receive, send
from tfcarve.prepare.freeze import source
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph import Ref
from tfcarve.prepare.messages import TensorProto
from tfcarve.prepare.original.messages import RESULT, RunRequest

_PROGRAM = "tfcarve.prepare.original.program"


@dataclass(frozen=True)
class Original:
    """A model that is not frozen.

    Attributes:
      path: a SavedModel's directory, .keras, .h5, .pb, .pbtxt or .meta.
      options: those with which its frozen graph was made.
    """

    path: Path
    options: Options

    def run(
        self, outputs: Sequence[Ref], samples: Sequence[Mapping[Ref, TensorProto]]
    ) -> Iterator[list[TensorProto]]:
        """Yields the values of `outputs` for each sample.

        Args:
          outputs: outputs of the frozen graph.
          samples: values of inputs of the frozen graph, the same inputs in each sample.

        Raises:
          Failed: TensorFlow can't load the model, or can't run it on the sample after those that were yielded.
        """
        request = RunRequest(
            model=source.request(self.path, self.options),
            samples=len(samples),
            inputs=tuple(ref.text() for ref in samples[0]),
            outputs=tuple(ref.text() for ref in outputs),
        )
        parts = [tensor.SerializeToString() for sample in samples for tensor in sample.values()]
        error, values = _run(request, parts)
        for start in range(0, len(values), len(outputs)):
            yield values[start : start + len(outputs)]
        if error:
            raise Failed(error)


def _run(request: RunRequest, parts: Sequence[bytes]) -> tuple[str, list[TensorProto]]:
    """Returns why the program stopped, "" if it ran all samples, and the values of the outputs."""
    size = sum(path.stat().st_size for path in source.files(request.model))
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        with (folder / "request").open("wb") as stream:
            send(stream, request, parts)
        try:
            limits = full_tensorflow.Limits.of_model(size + sum(map(len, parts)))
            full_tensorflow.run(_PROGRAM, [folder], folder, limits)
        except full_tensorflow.Failed as failed:
            raise Failed(str(failed) or "no message") from None
        with (folder / "result").open("rb") as stream:
            result, values = receive(stream, RESULT)
    return result.error, [TensorProto.FromString(value) for value in values]
