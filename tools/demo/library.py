"""A built library: where its files are, how large it is, what it answers."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from demo.made_models import MadeModel
from demo.nested import NestedError, Workspace, cache_folder

INPUT = "input"
OUTPUT = "output"

# What runs a platform's programs on this machine.
EMULATORS: Mapping[str, tuple[str, ...]] = {
    "linux_x86_64": (),
    "linux_arm64": ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"),
    # The emulator's own choice of CPU hides code that a Raspberry Pi 2 has no instructions for.
    "linux_armv7": ("qemu-arm-static", "-cpu", "cortex-a7", "-L", "/usr/arm-linux-gnueabihf"),
}


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
        """Picks the library out of the files that a build made."""
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
                f"the build for {platform} made no {missing}: {sorted(named)}"
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

    Raises BuildError where the build fails, NestedError where there is no toolchain.
    """
    groups = (platform, f"{platform}_runner", f"{platform}_benchmark")
    # Validations are those of all platforms; a platform's group has the proof of its own library.
    asked = [*flags, f"--output_groups={','.join(groups)}", "--norun_validations"]
    done = workspace.build([target], asked, progress=progress)
    return Library.among(platform, [f for group in groups for f in done.files(target, group)])


@dataclass(frozen=True)
class Answer:
    """What run_model did."""

    status: int
    message: str
    output: np.ndarray | None  # type: ignore[type-arg]


def run(library: Library, model: MadeModel) -> Answer:
    """Runs a model in the library, emulated where need be."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "output.npy")
        done = subprocess.run(
            [
                *_emulator(library.platform),
                str(library.runner),
                str(model.model),
                f"--input={INPUT}={model.input}",
                f"--output={OUTPUT}={output}",
            ],
            check=False,
            text=True,
            capture_output=True,
        )
        given = np.load(output) if output.is_file() else None
    return Answer(done.returncode, done.stderr.strip(), given)


def run_once(library: Library, model: MadeModel) -> tuple[Answer, bool]:
    """As run, but an output that the same program gave for the same files before is kept.

    An emulated run takes up to a minute. The second value tells whether it was kept.
    """
    kept = cache_folder() / "outputs" / f"{_digest(library.runner, model.model, model.input)}.npy"
    if kept.is_file():
        return Answer(0, "", np.load(kept)), True
    answer = run(library, model)
    if answer.output is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        with partial.open("wb") as stream:
            np.save(stream, answer.output)
        partial.replace(kept)
    return answer, False


def _digest(*files: Path) -> str:
    digests = []
    for file in files:
        with file.open("rb") as stream:
            digests.append(hashlib.file_digest(stream, "sha256").digest())
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _emulator(platform: str) -> tuple[str, ...]:
    command = EMULATORS[platform]
    if command and not shutil.which(command[0]):
        raise NestedError(
            f"{command[0]} is not on PATH: it runs {platform} programs. "
            "Try: sudo apt-get install qemu-user-static"
        )
    return command


def largest_difference(given: np.ndarray, expected: np.ndarray) -> float:  # type: ignore[type-arg]
    """The largest absolute difference; infinite for another shape or a nan."""
    if given.shape != expected.shape or given.dtype != expected.dtype:
        return float("inf")
    difference = np.abs(given.astype(np.float64) - expected.astype(np.float64))
    return float("inf") if np.isnan(difference).any() else float(difference.max(initial=0))


def gzip_size(file: Path) -> int:
    """How large the file is as gzip -9 packs it."""
    return len(gzip.compress(file.read_bytes(), compresslevel=9, mtime=0))
