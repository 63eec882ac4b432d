"""Models of the zoo, generated once and stored in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from bootstrap.cache import cache_root
from demo.nested import NestedError


@dataclass(frozen=True)
class CachedModel:
    """Files: a frozen graph, an input for it and full TensorFlow's output.

    Attributes:
        cached: whether an earlier run generated them.
    """

    model: Path
    input: Path
    output: Path
    cached: bool = False


def key(sources: Iterable[bytes], versions: Iterable[str]) -> str:
    """The key of a model in the cache: a digest of the generators' sources and the libraries' versions."""
    digest = hashlib.sha256()
    for part in [*sources, *(version.encode() for version in versions)]:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]


def _sources() -> list[bytes]:
    found = util.find_spec("models")
    if found is None or found.origin is None:
        raise NestedError("the package `models`, which generates models, is not on PYTHONPATH")
    folder = Path(found.origin).parent
    return [file.read_bytes() for file in sorted(folder.glob("*.py"))]


def _folder() -> Path:
    versions = [metadata.version(library) for library in ("tensorflow-cpu", "keras", "numpy")]
    return cache_root() / "models" / key(_sources(), versions)


def _generate(name: str, files: Mapping[str, Path]) -> None:
    """Writes files of a model; the keys are options of models.make.

    In its own process, because names and random numbers depend on what TensorFlow did before
    in the same process.
    """
    options = [f"--{option}={file}" for option, file in files.items()]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    command = [sys.executable, "-m", "models.make", name, *options]
    subprocess.run(command, check=True, env=environment)


def load(name: str) -> CachedModel:
    """Returns a model; generates it if it is not cached."""
    folder = _folder()
    model, array, output = (folder / f"{name}{e}" for e in (".pb", ".input.npy", ".output.npy"))
    cached = all(file.is_file() for file in (model, array, output))
    if not cached:
        _generate(name, {"model": model, "input": array, "output": output})
    return CachedModel(model, array, output, cached)


def lite(name: str) -> Path:
    """Returns the TensorFlow Lite file of a model; generates it if it is not cached."""
    model = _folder() / f"{name}.tflite"
    if not model.is_file():
        _generate(name, {"lite": model})
    return model
