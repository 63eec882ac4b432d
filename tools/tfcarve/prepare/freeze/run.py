"""Freezes a model: in a process of its own, whose result is checked before it is written."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tfcarve import files, full_tensorflow
from tfcarve.errors import InvalidInput
from tfcarve.models import keras, read
from tfcarve.prepare.freeze import leftover, result, source
from tfcarve.prepare.freeze.request import DEFAULTS, Options, Request
from tfcarve.prepare.freeze.result import Result

_PROGRAM = "tfcarve.prepare.freeze.program"
_FILE_NAME = "model.pb"


@dataclass(frozen=True, slots=True)
class Done:
    """A frozen graph: where its file is for now, and its inputs and outputs."""

    path: Path
    result: Result


def unchanged(wanted: Request) -> Done | None:
    """Returns a GraphDef that is frozen already and stays as it is; None where freezing has to change it.

    Raises InvalidInput where it is not frozen and nobody says what to freeze of it.
    """
    if wanted.kind != "graphdef" or wanted.options.outputs:
        return None
    path = Path(wanted.path)
    model = read.read(path)
    inputs = {use.node for use in model.nodes if use.op.startswith("Placeholder")}
    why = leftover.problem(model, inputs)
    if why:
        raise InvalidInput(
            f"{wanted.name}: {why}: give --outputs, and --checkpoint where the graph has variables"
        )
    return None if wanted.text else Done(path, Result())


def _by_tensorflow(wanted: Request, folder: Path) -> Done:
    if not full_tensorflow.installed():
        raise InvalidInput(f"{wanted.name}: {full_tensorflow.not_installed()}")
    (folder / "request.json").write_text(wanted.to_json(), encoding="utf-8")
    size = sum(path.stat().st_size for path in source.files(wanted))
    try:
        full_tensorflow.run(_PROGRAM, [folder], folder, full_tensorflow.Limits.of_model(size))
    except full_tensorflow.Failed as failed:
        why = str(failed) or "it says nothing"
        if wanted.kind == "keras":
            raise keras.refusal(wanted.name, why) from None
        raise InvalidInput(f"{wanted.name}: TensorFlow cannot load or freeze it: {why}") from None
    found = result.from_json((folder / "result.json").read_text(encoding="utf-8"))
    if found.refused:
        prefix = "" if wanted.name in found.refused else f"{wanted.name}: "
        raise InvalidInput(f"{prefix}{found.refused}")
    return Done(folder / _FILE_NAME, found)


def _check(wanted: Request, done: Done) -> None:
    """Raises InvalidInput where the result is no frozen graph."""
    why = leftover.problem(read.read(done.path), {tensor.name for tensor in done.result.inputs})
    if why:
        raise InvalidInput(f"{wanted.name}: {why}")


@contextmanager
def frozen(path: Path, options: Options = DEFAULTS) -> Iterator[Done]:
    """Gives the frozen graph of the model at `path`; its file is there for as long as the block runs.

    Args:
      path: a SavedModel's directory, .keras, .h5, .pb, .pbtxt or .meta.
      options: how to freeze it.
    Raises InvalidInput where that cannot be done.
    """
    wanted = source.request(path, options)
    done = unchanged(wanted)
    if done:
        yield done
        return
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        done = _by_tensorflow(wanted, Path(folder))
        _check(wanted, done)
        yield done


def freeze(path: Path, output: Path, options: Options = DEFAULTS) -> Result:
    """Writes the frozen graph of the model at `path` to `output`; returns its inputs and outputs.

    Raises InvalidInput as frozen does; then nothing is written.
    """
    with frozen(path, options) as done:
        files.write_if_changed(output, files.read_bytes(done.path))
        return done.result
