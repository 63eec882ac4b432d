"""TensorFlow's own transform_graph, compiled once from the source tree against the installed wheel.

The program is kept in a cache. Its folder is named by all that it is made from: sources, flags, compiler and wheel.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from bootstrap.cache import built_in_place

_FOLDER = "tensorflow/tools/graph_transforms"
_OTHER_PROGRAMS = frozenset(("compare_graphs.cc", "summarize_graph_main.cc"))
_REGISTERED = re.compile(r'^REGISTER_GRAPH_TRANSFORM\(\s*"(\w+)"', re.MULTILINE)
# NDEBUG: without it EdgeSet in edgeset.h has another size than in the wheel.
_FLAGS = (
    *("-std=c++17", "-O1", "-fPIC", "-w", "-DNDEBUG", "-DEIGEN_MAX_ALIGN_BYTES=64"),
    "-D_GLIBCXX_USE_CXX11_ABI=1",
)
# In this order: the other way round no op is registered.
_LIBRARIES = ("-l:libtensorflow_cc.so.2", "-l:libtensorflow_framework.so.2", "-lpthread")


class TransformFailed(Exception):
    """transform_graph refused a graph or was ended; the text is what it wrote last."""


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
        made: Path,
        inputs: Iterable[str],
        outputs: Iterable[str],
        transforms: str,
    ) -> list[str]:
        """Returns the command that writes to `made` what `transforms` make of the frozen graph `model`."""
        return [
            str(self.program),
            f"--in_graph={model}",
            f"--out_graph={made}",
            f"--inputs={','.join(inputs)}",
            f"--outputs={','.join(outputs)}",
            f"--transforms={transforms}",
        ]

    def run(self, command: Sequence[str], seconds: float = 300) -> str:
        """Runs a command and returns its log; raises TransformFailed where it fails or takes longer."""
        try:
            done = subprocess.run(
                command,
                env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", "CUDA_VISIBLE_DEVICES": "-1"},
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise TransformFailed(f"not done after {seconds} s") from None
        log = done.stderr.decode(errors="replace")
        if done.returncode:
            errors = [line for line in log.splitlines() if ": E " in line or ": F " in line]
            last = errors[0] if errors else log[-600:]
            raise TransformFailed(f"status {done.returncode}: {last}")
        return log


def _wheel() -> Path:
    found = util.find_spec("tensorflow")
    if found is None or found.origin is None:
        raise FileNotFoundError(
            "tensorflow is not installed: transform_graph is linked with its library"
        )
    return Path(found.origin).parent


def _key(tree: Path, parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode()).digest())
    for file in sorted((tree / _FOLDER).glob("*.[ch]*")):
        digest.update(f"{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _compile(files: Sequence[Path], folder: Path, command: Sequence[str]) -> Iterator[Path]:
    """Compiles each file into `folder`, as many at a time as there are processors; yields the objects."""

    def compile_one(file: Path) -> Path:
        made = folder / f"{file.stem}.o"
        subprocess.run([*command, "-c", str(file), "-o", str(made)], check=True)
        return made

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        yield from pool.map(compile_one, files)


def built(tree: Path, cache: Path, compiler: str = "g++") -> TransformGraph:
    """Returns transform_graph of the source tree `tree`, kept in the folder `cache`: 70 s on two cores the first time.

    Raises CalledProcessError where the compiler refuses a file, FileNotFoundError where there is no TensorFlow.
    """
    wheel = _wheel()
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    parts = [version.stdout, metadata.version("tensorflow-cpu"), str(wheel), *_FLAGS, *_LIBRARIES]
    folder = cache / "transform_graph" / _key(tree, parts)
    program = folder / "transform_graph"
    with built_in_place(folder) as missing:
        if missing:
            include = wheel / "include"
            folders = [include, include / "external/gemmlowp", tree]
            command = [compiler, *_FLAGS, *(f"-I{place}" for place in folders)]
            objects = list(_compile(sources(tree), folder, command))
            link = [compiler, "-o", str(program), *map(str, objects), f"-L{wheel}", *_LIBRARIES]
            subprocess.run([*link, f"-Wl,-rpath,{wheel}"], check=True)
            for file in objects:
                file.unlink()
    return TransformGraph(program)
