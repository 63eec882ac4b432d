"""Models of the zoo, made once and kept in the user's cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
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


def made(name: str) -> MadeModel:
    """The model of that name; makes it where it is not there yet.

    In a process of its own, for names and random numbers depend on what TensorFlow made
    before in the same process.
    """
    versions = [metadata.version(library) for library in ("tensorflow-cpu", "keras", "numpy")]
    folder = cache_folder() / "models" / key(_sources(), versions)
    model, fed, output = (folder / f"{name}{e}" for e in (".pb", ".input.npy", ".output.npy"))
    kept = all(file.is_file() for file in (model, fed, output))
    if not kept:
        make = [sys.executable, "-m", "models.make", name]
        options = [f"--model={model}", f"--input={fed}", f"--output={output}"]
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
        subprocess.run([*make, *options], check=True, env=environment)
    return MadeModel(model, fed, output, kept)
