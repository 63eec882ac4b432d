"""Freezes a model in a child process and checks the result before it is written."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfcarve import files, full_tensorflow, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.models import keras, read
from tfcarve.models.mapped_file import mapped
from tfcarve.newer import data as newer_data
from tfcarve.prepare.checks import release_check
from tfcarve.prepare.freeze import frozen_check, source
from tfcarve.prepare.freeze.request import DEFAULTS, Options, Request
from tfcarve.prepare.freeze.result import Result
from tfcarve.prepare.graph import graph_file
from tfcarve.releases.release import Release

_PROGRAM = "tfcarve.prepare.freeze.program"
_KERAS_PROGRAM = "tfcarve.prepare.freeze.keras_program"
_FILE_NAME = "model.pb"


@dataclass(frozen=True, slots=True)
class FrozenModel:
    """A frozen graph: its temporary file, and its inputs and outputs."""

    path: Path
    result: Result


def already_frozen(wanted: Request, release: Release, folder: Path) -> FrozenModel | None:
    """Returns a GraphDef that is already frozen, or None if it must be frozen.

    Without the attributes that the release does not have, it is a new file in `folder`.

    Raises InvalidInput if no outputs are given, and it is not frozen, is damaged or is too new for the release.
    """
    if wanted.kind != "graphdef" or wanted.options.outputs:
        return None
    path = Path(wanted.path)
    model = read.read(path)
    inputs = {use.node for use in model.nodes if use.op.startswith("Placeholder")}
    why = frozen_check.problem(model, inputs)
    if why:
        raise InvalidInput(
            f"{wanted.name}: {why}: pass --outputs, and --checkpoint if the graph has variables"
        )
    # Reports missing nodes, cycles and damaged constants.
    graph = graph_file.parse(mapped(path), Path(wanted.name))
    if wanted.text:
        return None
    try:
        dropped, newer = release_check.finish(graph, newer_data.load(release))
    except InvalidInput as error:
        raise InvalidInput(f"{wanted.name}: {error}") from None
    if dropped:
        path = folder / _FILE_NAME
        graph_file.write_graph(path, graph)
    return FrozenModel(path, Result(dropped=dropped, newer=newer))


def _run(program: str, wanted: Request, folder: Path) -> Result | None:
    """Runs a program that reads `wanted`; returns its result, which may be an error, or None if it wrote no result."""
    (folder / "request.json").write_bytes(json_codec.encode(wanted))
    try:
        limits = full_tensorflow.Limits.of_model(source.size(wanted))
        full_tensorflow.run(program, [folder], folder, limits)
    except full_tensorflow.Failed as failed:
        why = str(failed) or "no message"
        if wanted.kind == "keras":
            raise keras.refusal(wanted.name, why) from None
        raise InvalidInput(f"{wanted.name}: TensorFlow cannot load or freeze it: {why}") from None
    file = folder / "result.json"
    if not file.exists():
        return None
    found = json_codec.decode(file.read_bytes(), Result, str(file))
    if found.error:
        prefix = "" if wanted.name in found.error else f"{wanted.name}: "
        raise InvalidInput(f"{prefix}{found.error}")
    return found


def export_keras(wanted: Request, folder: Path) -> None:
    """Exports a Keras file as a SavedModel in the subfolder load.EXPORTED; raises InvalidInput if Keras cannot load it."""
    _run(_KERAS_PROGRAM, wanted, folder)


def _freeze(wanted: Request, folder: Path) -> FrozenModel:
    if not full_tensorflow.installed():
        raise InvalidInput(f"{wanted.name}: {full_tensorflow.not_installed()}")
    if wanted.kind == "keras":
        export_keras(wanted, folder)
    found = _run(_PROGRAM, wanted, folder)
    assert found is not None
    return FrozenModel(folder / _FILE_NAME, found)


def _check(wanted: Request, done: FrozenModel) -> None:
    """Raises InvalidInput if the result is not a frozen graph."""
    why = frozen_check.problem(read.read(done.path), {tensor.name for tensor in done.result.inputs})
    if why:
        raise InvalidInput(f"{wanted.name}: {why}")


@contextmanager
def frozen(path: Path, release: Release, options: Options = DEFAULTS) -> Iterator[FrozenModel]:
    """Freezes the model at `path` for the duration of the block.

    Args:
      path: a SavedModel's directory, .keras, .h5, .pb, .pbtxt, .pb.txt or .meta.
      release: the TensorFlow release that runs the frozen graph.
      options: the options of freezing.
    Raises InvalidInput if it cannot be frozen.
    """
    wanted = source.request(path, release, options)
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        done = already_frozen(wanted, release, folder)
        if done is None:
            done = _freeze(wanted, folder)
            _check(wanted, done)
        yield done


def freeze(path: Path, output: Path, release: Release, options: Options = DEFAULTS) -> Result:
    """Writes the frozen graph of the model at `path` to `output` and returns its inputs and outputs.

    Raises the errors of `frozen`; then nothing is written.
    """
    with frozen(path, release, options) as done:
        files.write_if_changed(output, files.read_bytes(done.path))
        return done.result
