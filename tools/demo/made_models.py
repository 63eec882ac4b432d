"""Models of the zoo, made once and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from demo.nested import NestedError, cache_folder


@dataclass(frozen=True)
class MadeModel:
    """A frozen graph, an input for it and full TensorFlow's output, as files."""

    model: Path
    input: Path
    output: Path
    kept: bool = False  # from an earlier run


def key(sources: Iterable[bytes], versions: Iterable[str]) -> str:
    """Names what a model is made from: its makers' sources and the libraries' versions."""
    digest = hashlib.sha256()
    for part in [*sources, *(version.encode() for version in versions)]:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]


def _sources() -> list[bytes]:
    found = util.find_spec("models")
    if found is None or found.origin is None:
        raise NestedError("the makers of models are not on PYTHONPATH")
    folder = Path(found.origin).parent
    return [file.read_bytes() for file in sorted(folder.glob("*.py"))]


def _folder() -> Path:
    versions = [metadata.version(library) for library in ("tensorflow-cpu", "keras", "numpy")]
    return cache_folder() / "models" / key(_sources(), versions)


def _make(name: str, files: Mapping[str, Path]) -> None:
    """Writes files of a model, named by the option of models.make.

    In a process of its own, for names and random numbers depend on what TensorFlow made
    before in the same process.
    """
    options = [f"--{option}={file}" for option, file in files.items()]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    command = [sys.executable, "-m", "models.make", name, *options]
    subprocess.run(command, check=True, env=environment)


def made(name: str) -> MadeModel:
    """The model of that name; makes it where it is not there yet."""
    folder = _folder()
    model, fed, output = (folder / f"{name}{e}" for e in (".pb", ".input.npy", ".output.npy"))
    kept = all(file.is_file() for file in (model, fed, output))
    if not kept:
        _make(name, {"model": model, "input": fed, "output": output})
    return MadeModel(model, fed, output, kept)


def lite(name: str) -> Path:
    """TensorFlow Lite's file of the same model; makes it where it is not there yet."""
    model = _folder() / f"{name}.tflite"
    if not model.is_file():
        _make(name, {"lite": model})
    return model
