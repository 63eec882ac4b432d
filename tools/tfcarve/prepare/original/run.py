"""Runs a model that is not frozen, in a child process with full TensorFlow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve.full_tensorflow import Limits
from tfcarve.prepare.evaluate.evaluator import Failed
from tfcarve.prepare.freeze import source
from tfcarve.prepare.freeze.request import Options
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.original.exchange import exchange
from tfcarve.prepare.original.messages import RunRequest
from tfcarve.releases.release import Release

_PROGRAM = "tfcarve.prepare.original.program"


@dataclass(frozen=True)
class Original:
    """A model that is not frozen.

    Attributes:
      path: a SavedModel's directory, .keras, .h5, .pb, .pbtxt or .meta.
      release: the TensorFlow release for which its frozen graph was made.
      options: the options with which its frozen graph was made.
    """

    path: Path
    release: Release
    options: Options

    def run(
        self, outputs: Sequence[Ref], samples: Sequence[Mapping[Ref, TensorProto]]
    ) -> Iterator[list[TensorProto]]:
        """Yields the values of `outputs` for each sample.

        Args:
          outputs: outputs of the frozen graph.
          samples: values of inputs of the frozen graph. All samples have values for the same inputs.

        Raises:
          Failed: TensorFlow can't load the model, or can't run it on the next sample.
        """
        request = RunRequest(
            model=source.request(self.path, self.release, self.options),
            samples=len(samples),
            inputs=tuple(ref.text() for ref in samples[0]),
            outputs=tuple(ref.text() for ref in outputs),
        )
        parts = [tensor.SerializeToString() for sample in samples for tensor in sample.values()]
        limits = Limits.of_model(source.size(request.model) + sum(map(len, parts)))
        error, results = exchange(_PROGRAM, request, parts, limits)
        values = [TensorProto.FromString(result) for result in results]
        for start in range(0, len(values), len(outputs)):
            yield values[start : start + len(outputs)]
        if error:
            raise Failed(error)
