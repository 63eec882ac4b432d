"""A built library: its files, its size and its output."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bootstrap.cache import cache_root
from demo.cached_models import CachedModel
from demo.nested import NestedError
from tfcarve.app.emulators import EMULATORS
from tfcarve.app.workspace import Workspace

INPUT = "input"
OUTPUT = "output"


@dataclass(frozen=True)
class Library:
    """A carved library for one platform, and the programs that run and measure a model in it."""

    platform: str
    shared: Path
    static: Path
    runner: Path
    benchmark: Path

    @classmethod
    def among(cls, platform: str, files: Iterable[Path]) -> Library:
        """Picks the library's files among the output files of a build."""
        named = {file.name: file for file in files}
        try:
            return cls(
                platform,
                shared=named["libtensorflow-core.so"],
                static=named["libtensorflow-core.a"],
                runner=named["run_model"],
                benchmark=named["benchmark_model"],
            )
        except KeyError as missing:
            raise NestedError(
                f"the build for {platform} has no output {missing}; it has: {', '.join(sorted(named))}"
            ) from None


def build(
    workspace: Workspace,
    target: str,
    platform: str,
    flags: Sequence[str] = (),
    *,
    progress: bool = False,
) -> Library:
    """Builds a tf_multi_platform_library for one of its platforms, with its programs.

    Raises BuildError if the build fails, NestedError if the platform has no toolchain.
    """
    groups = (platform, f"{platform}_programs")
    # Validation actions cover all platforms; a platform's output group has the proof of its own library.
    options = [*flags, f"--output_groups={','.join(groups)}", "--norun_validations"]
    done = workspace.build([target], options, progress=progress)
    return Library.among(platform, [f for group in groups for f in done.files(target, group)])


def run_graph(
    library: Library, graph: Path, inputs: Mapping[str, Path], outputs: Iterable[str]
) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """Runs a graph in the library once, under qemu if necessary, and returns its outputs by name.

    Args:
        library: has the program.
        graph: a frozen GraphDef.
        inputs: the files with the arrays, by name.
        outputs: names.

    Raises:
        NestedError: the graph does not run.
    """
    with tempfile.TemporaryDirectory() as folder:
        files = {output: Path(folder, f"{n}.npy") for n, output in enumerate(outputs)}
        command = [
            *(*emulator(library.platform), str(library.runner), str(graph)),
            *(f"--input={name}={file}" for name, file in inputs.items()),
            *(f"--output={name}={file}" for name, file in files.items()),
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise NestedError(
                f"{library.platform}: {graph.stem} did not run: {done.stderr.strip()}"
            )
        return {output: np.load(file) for output, file in files.items()}


@dataclass(frozen=True)
class Answer:
    """The result of run_model."""

    status: int
    message: str
    output: np.ndarray | None  # type: ignore[type-arg]


def run(library: Library, model: CachedModel, cpu: str = "") -> Answer:
    """Runs a model in the library, under qemu if necessary.

    Args:
        library: has the program.
        model: the model and its input.
        cpu: the instruction set that TFCARVE_CPU selects; "" for the fastest.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "output.npy")
        done = subprocess.run(
            [
                *emulator(library.platform),
                str(library.runner),
                str(model.model),
                f"--input={INPUT}={model.input}",
                f"--output={OUTPUT}={output}",
            ],
            env={**os.environ, "TFCARVE_CPU": cpu},
            check=False,
            text=True,
            capture_output=True,
        )
        result = np.load(output) if output.is_file() else None
    return Answer(done.returncode, done.stderr.strip(), result)


def run_once(library: Library, model: CachedModel, cpu: str = "") -> tuple[Answer, bool]:
    """Runs a model as `run` does, or returns the cached output of the same program, files and instruction set.

    A run under qemu takes up to a minute.

    Returns:
        The answer, and whether it was cached.
    """
    digest = _digest(library.runner, model.model, model.input)
    name = "_".join(filter(None, (digest, cpu)))
    cached = cache_root() / "outputs" / f"{name}.npy"
    if cached.is_file():
        return Answer(0, "", np.load(cached)), True
    answer = run(library, model, cpu)
    if answer.output is not None:
        cached.parent.mkdir(parents=True, exist_ok=True)
        partial = cached.with_suffix(".partial")
        with partial.open("wb") as stream:
            np.save(stream, answer.output)
        partial.replace(cached)
    return answer, False


def _digest(*files: Path) -> str:
    digests = []
    for file in files:
        with file.open("rb") as stream:
            digests.append(hashlib.file_digest(stream, "sha256").digest())
    return hashlib.sha256(b"".join(digests)).hexdigest()


def emulator(platform: str) -> tuple[str, ...]:
    """Returns the start of a command that runs a platform's program here; raises NestedError if qemu is not installed."""
    command = EMULATORS[platform]
    if command and not shutil.which(command[0]):
        raise NestedError(
            f"{command[0]} is not on PATH, which runs {platform} programs; "
            "try: sudo apt-get install qemu-user-static"
        )
    return command


def largest_difference(actual: np.ndarray, expected: np.ndarray) -> float:  # type: ignore[type-arg]
    """The largest absolute difference; infinite for another shape or type, or a NaN."""
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    difference = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    return float("inf") if np.isnan(difference).any() else float(difference.max(initial=0))


def gzip_size(file: Path) -> int:
    """The file's size compressed with gzip -9."""
    return len(gzip.compress(file.read_bytes(), compresslevel=9, mtime=0))
