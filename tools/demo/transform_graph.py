"""TensorFlow's transform_graph, compiled from the source tree and linked with the installed wheel.

The program is cached. The key of its folder is a digest of its sources, flags, compiler and wheel.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bootstrap.cache import built_in_place
from demo import wheel

_FOLDER = "tensorflow/tools/graph_transforms"
_OTHER_PROGRAMS = frozenset(("compare_graphs.cc", "summarize_graph_main.cc"))
_REGISTERED = re.compile(r'^REGISTER_GRAPH_TRANSFORM\(\s*"(\w+)"', re.MULTILINE)


class TransformFailed(Exception):
    """transform_graph refused a graph or took too long; the text is the end of its log."""


def sources(tree: Path) -> list[Path]:
    """Returns the sources of transform_graph in TensorFlow's tree, sorted."""
    found = sorted((tree / _FOLDER).glob("*.cc"))
    return [f for f in found if f.name not in _OTHER_PROGRAMS and not f.stem.endswith("_test")]


def registered(tree: Path) -> set[str]:
    """Returns the names of all transforms that the sources register."""
    return {name for file in sources(tree) for name in _REGISTERED.findall(file.read_text())}


@dataclass(frozen=True)
class TransformGraph:
    """The compiled program.

    Attributes:
      program: its file.
    """

    program: Path

    def command(
        self,
        model: Path,
        output: Path,
        inputs: Iterable[str],
        outputs: Iterable[str],
        transforms: str,
    ) -> list[str]:
        """Returns the command that applies `transforms` to the frozen graph `model` and writes `output`."""
        return [
            str(self.program),
            f"--in_graph={model}",
            f"--out_graph={output}",
            f"--inputs={','.join(inputs)}",
            f"--outputs={','.join(outputs)}",
            f"--transforms={transforms}",
        ]

    def run(self, command: Sequence[str], seconds: float = 300) -> str:
        """Runs a command and returns its log; raises TransformFailed if it fails or takes longer."""
        try:
            done = subprocess.run(
                command,
                env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", "CUDA_VISIBLE_DEVICES": "-1"},
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TransformFailed(f"no result after {seconds} s") from None
        log = done.stderr.decode(errors="replace")
        if done.returncode:
            errors = [line for line in log.splitlines() if ": E " in line or ": F " in line]
            last = errors[0] if errors else log[-600:]
            raise TransformFailed(f"status {done.returncode}: {last}")
        return log


def _key(tree: Path, parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode()).digest())
    for file in sorted((tree / _FOLDER).glob("*.[ch]*")):
        digest.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _compile(files: Sequence[Path], folder: Path, command: Sequence[str]) -> Iterator[Path]:
    """Compiles the files into `folder`, one on each processor; yields the objects."""

    def compile_one(file: Path) -> Path:
        output = folder / f"{file.stem}.o"
        subprocess.run([*command, "-c", str(file), "-o", str(output)], check=True)
        return output

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(compile_one, files)


def built(tree: Path, cache: Path, compiler: str = "g++") -> TransformGraph:
    """Returns transform_graph of the source tree `tree` from the folder `cache`; compiles it if necessary, in 70 s on two cores.

    Raises CalledProcessError if a file does not compile, FileNotFoundError if TensorFlow is not installed.
    """
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    parts = [version.stdout, wheel.version(), str(wheel.folder()), *wheel.FLAGS, *wheel.LIBRARIES]
    folder = cache / "transform_graph" / _key(tree, parts)
    program = folder / "transform_graph"
    with built_in_place(folder) as missing:
        if missing:
            command = [compiler, *wheel.FLAGS, *wheel.include_flags(), f"-I{tree}"]
            objects = list(_compile(sources(tree), folder, command))
            link = [compiler, "-o", str(program), *map(str, objects), *wheel.link_flags()]
            subprocess.run(link, check=True)
            for file in objects:
                file.unlink()
    return TransformGraph(program)
