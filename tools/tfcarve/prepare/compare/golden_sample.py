"""One sample for a frozen graph, with the outputs that full TensorFlow computes for it, as .npy files."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.prepare.compare import comparison
from tfcarve.prepare.compare.npz import read_arrays
from tfcarve.prepare.compare.samples import Sample
from tfcarve.prepare.compare.side import Side
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.graph import graph_file, tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.graph.tensors import Array
from tfcarve.proof import npy_arrays
from tfcarve.proof.golden_index import INDEX, Entry, GoldenSample

_NPY = b"\x93NUMPY"
# Random values may have a shape or a content that the model does not take, if it does not state them.
_ADVICE = (
    "\nthe inputs are random values: pass valid ones with --data FILE.npz (sample_inputs in Bazel)"
)


def is_ours(head: bytes) -> bool:
    """Returns whether a file of a sample's folder may start with these bytes."""
    return head.startswith((_NPY, b"{"))


def computed(path: Path, data: Path | None = None) -> dict[str, bytes]:
    """Runs a graph once in full TensorFlow.

    Args:
      path: a frozen GraphDef. All its Placeholders are fed; its outputs are the tensors that no node reads.
      data: an .npz file with a value for each Placeholder, or several, of which the first is used; None: random values, the
        same on each run.

    Returns:
      The files of the sample's folder, by name: sample.json and the arrays.

    Raises:
      InvalidInput: TensorFlow does not run the graph, it has no output, or an array does not fit.
    """
    graph = graph_file.read_graph(path)
    arrays = read_arrays(data) if data else None
    with Evaluator(path.stat().st_size) as evaluator:
        try:
            with evaluator.loaded(graph) as loaded:
                side = Side(str(path), graph, loaded, loaded.outputs())
                inputs = comparison.input_refs(side, side, ())
                outputs, _ = comparison.output_refs(side, side, ())
                sample = _sample(side, inputs, arrays, data or path)
                values = side.run(outputs, sample)
        except Failed as error:
            line = " ".join(str(error).split())
            advice = "" if data else _ADVICE
            message = f"{path}: full TensorFlow does not run it: {line}{advice}"
            raise InvalidInput(message) from None
    files: dict[str, bytes] = {}
    fed = _added(files, "input", sample)
    expected = _added(files, "output", dict(zip(outputs, values, strict=True)))
    files[INDEX] = json_codec.encode(GoldenSample(fed, expected))
    return files


def _sample(
    side: Side, inputs: Sequence[Ref], arrays: Mapping[str, Array] | None, where: Path
) -> Sample:
    try:
        return comparison.sample_list(side, inputs, arrays)[0]
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def _added(
    files: dict[str, bytes], kind: str, values: Mapping[Ref, TensorProto]
) -> tuple[Entry, ...]:
    """Adds the files of tensors; returns their entries."""
    entries = []
    for number, (source, value) in enumerate(values.items()):
        entry = Entry(source.text(), f"{kind}{number}.npy")
        stream = io.BytesIO()
        try:
            npy_arrays.write(
                stream, f"the tensor {entry.tensor!r}", tensors.to_array(value, entry.tensor)
            )
        except npy_arrays.ArrayError as error:
            raise InvalidInput(str(error)) from None
        files[entry.file] = stream.getvalue()
        entries.append(entry)
    return tuple(entries)
