"""A library under AddressSanitizer, UBSan and ThreadSanitizer.

The tests of the C interface, the kernels of the overrides, random ops, damaged graphs, and images and texts that are damaged
too. TensorFlow itself is not loaded: it is not compiled with the sanitizers.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest
import tensorflow as tf

import e2e
from e2e.builds import app_workspace, override_library
from e2e.graphs import (
    c_api_models,
    hostile_shapes,
    hostile_windows,
    library_graphs,
    override_graphs,
)
from e2e.graphs.override_graphs import Case
from e2e.random_cases import drawn_op, drawn_ops, random_ops
from e2e.sessions import damaged_graphs, sanitized_run
from models import frozen

# Of each kind, of each image, and of a graph.
_RANDOM_OPS, _DAMAGED, _DAMAGED_GRAPHS = 10, 20, 300
# Tests that measure memory, which sanitizers use too.
_NOT_RUN = "not test_aligned_input_is_not_copied"
_LIBRARY = "libtensorflow-core.so"
# A sanitizer says so when a test requests more memory than there is, which the library refuses.
_NO_MEMORY = re.compile(r"^==\d+==WARNING: \w+Sanitizer failed to allocate .*\n", re.MULTILINE)
# UBSan writes to standard error if AddressSanitizer is loaded as well.
_UNDEFINED = re.compile(r"^.*: runtime error: .*$", re.MULTILINE)
# TensorFlow reads the numbers in the head of a BMP image where they are, aligned or not.
_UNALIGNED = re.compile(
    r"/(decode_image_op\.cc|bounds_check\.h):\d+:\d+: runtime error: .* misaligned address "
)
# glibc frees the thread-local variables of a thread that ended after another one took over its stack, under a lock that is
# not seen.
_TAKEN_OVER = "race:_dl_deallocate_tls\n"
# TensorFlow creates counters that stay, and the compiler drops variables for them that nothing reads.
_STAYS = "leak:__static_initialization_and_destruction_0\n"


@dataclass(frozen=True)
class _Sanitizer:
    """Sanitizers that work together.

    Attributes:
      flags: of the compiler and the linker.
      libraries: to load before any other.
      options: of the libraries, by environment variable.
      suppressed: reports that are not written: lines of a file of suppressions.
    """

    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    options: Mapping[str, str]
    suppressed: str = ""

    def environment(self, reports: Path) -> dict[str, str]:
        """Returns the environment of a process whose faults are reported in files of a folder."""
        preloaded = [_compilers_file(name) for name in (*self.libraries, "libstdc++.so.6")]
        added = f":log_path={reports / 'report'}"
        if self.suppressed:
            suppressions = reports.with_name("suppressions")
            suppressions.write_text(self.suppressed)
            added += f":suppressions={suppressions}"
        options = {name: value + added for name, value in self.options.items()}
        paths = os.pathsep.join(sys.path)
        return {
            **os.environ,
            **options,
            "LD_PRELOAD": " ".join(preloaded),
            "PYTHONPATH": paths,
            # Each allocation of Python is one of malloc, which the sanitizers replace.
            "PYTHONMALLOC": "malloc",
        }


_SANITIZERS = {
    "memory": _Sanitizer(
        # Without the check of virtual calls, which needs type information that TensorFlow's flags leave out.
        ("-fsanitize=address,undefined", "-fno-sanitize=vptr"),
        ("libasan.so", "libubsan.so"),
        {
            # Python does not free all its memory; test_no_leaks runs a program in C++.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
        },
    ),
    "threads": _Sanitizer(
        ("-fsanitize=thread",),
        ("libtsan.so",),
        {"TSAN_OPTIONS": "allocator_may_return_null=1"},
        _TAKEN_OVER,
    ),
}


def _compilers_file(name: str) -> str:
    done = subprocess.run(
        ["g++", f"-print-file-name={name}"], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def _reported(folder: Path, output: str) -> Iterator[str]:
    """Yields the faults in the reports in a folder, and in a program's output."""
    for file in sorted(folder.iterdir()):
        yield _NO_MEMORY.sub("", file.read_text(errors="replace"))
    for line in _UNDEFINED.findall(output):
        if not _UNALIGNED.search(line):
            yield line


@dataclass(frozen=True)
class _Built:
    """A library that is compiled with sanitizers, and its programs."""

    sanitizer: _Sanitizer
    files: Mapping[str, Path]

    def run(
        self,
        command: Sequence[str | Path],
        folder: Path,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[str, str]:
        """Runs a program with further environment variables; returns its output, and the reports of faults."""
        reports = folder / "reports"
        reports.mkdir()
        done = subprocess.run(
            [str(word) for word in command],
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            env=self.sanitizer.environment(reports) | variables,
        )
        found = "\n".join(filter(None, _reported(reports, done.stdout)))
        # Without a report, the program itself failed.
        assert done.returncode == 0 or found, done.stdout[-10_000:]
        return done.stdout, found


@pytest.fixture(name="cases", scope="module")
def _cases(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Case]:
    return override_graphs.cases(tmp_path_factory.mktemp("full"))


@pytest.fixture(name="models", scope="module")
def _models(cases: Mapping[str, Case], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with graphs and inputs for e2e.sessions.sanitized_run."""
    folder = tmp_path_factory.mktemp("models")
    for name, (graph, feeds) in _graphs(cases).items():
        (folder / f"{name}.pb").write_bytes(graph)
        for number, fed in enumerate(feeds):
            np.save(folder / f"{name}.{number}.npy", fed)
    return folder


def _bytes(graph: Any) -> bytes:
    return bytes(graph.SerializeToString(deterministic=True))


def _graphs(cases: Mapping[str, Case]) -> dict[str, tuple[bytes, list[Any]]]:
    found = {name: (_bytes(case.graph), [case.fed]) for name, case in cases.items()}
    for kind in drawn_ops.KINDS:
        for number, op in enumerate(random_ops.drawn(kind, _RANDOM_OPS)):
            found[f"{kind}_{number}"] = _bytes(op.graph()), [drawn_op.INPUTS[op.numbers]]
    chance = random.Random(frozen.SEED)
    whole = _bytes(random_ops.drawn("convolutions", 1)[0].graph())
    special = drawn_op.INPUTS[drawn_op.SPECIAL]
    for number in range(_DAMAGED_GRAPHS):
        found[f"damaged_{number}"] = damaged_graphs.damaged(whole, chance), [special]
    for number, graph in enumerate(hostile_windows.GRAPHS.values()):
        found[f"window_{number}"] = _bytes(graph), [hostile_windows.IMAGE]
    for number, graph in enumerate(hostile_shapes.HOSTILE.values()):
        found[f"shape_{number}"] = _bytes(graph), [hostile_shapes.IMAGE]
    drawn, images = np.random.default_rng(frozen.SEED), library_graphs.images()
    for name, (graph, files) in library_graphs.DECODERS.items():
        pictures = [images[file] for file in files]
        pictures += [library_graphs.damaged(p, drawn) for p in pictures for _ in range(_DAMAGED)]
        found[name] = _bytes(graph), [np.array(picture) for picture in pictures]
    for name, graph in library_graphs.ENCODERS.items():
        found[name] = _bytes(graph), [library_graphs.PICTURE]
    texts = np.array(library_graphs.TEXTS)
    for name, graph in library_graphs.STRINGS.items():
        found[name] = _bytes(graph), [texts]
    for number, ((encoding, _), graph) in enumerate(library_graphs.DECODED.items()):
        each = [np.array([text]) for text in library_graphs.texts(encoding)]
        found[f"decoded{number}"] = _bytes(graph), each
    points = np.array(library_graphs.POINTS, np.int32)
    for number, graph in enumerate(library_graphs.ENCODED.values()):
        found[f"encoded{number}"] = _bytes(graph), [np.roll(points, i)[:7] for i in range(9)]
    return found


@pytest.fixture(name="built", scope="module", params=_SANITIZERS)
def _built(
    request: pytest.FixtureRequest,
    cases: Mapping[str, Case],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[_Built]:
    sanitizer = _SANITIZERS[request.param]
    graphs = {name: case.graph for name, case in cases.items()} | library_graphs.GRAPHS
    for name, file in c_api_models.write(tmp_path_factory.mktemp("c_api")).items():
        graphs[f"c_api_{name}"] = tf.compat.v1.GraphDef.FromString(file.read_bytes())
    flags = [f"--{kind}={flag}" for kind in ("copt", "linkopt") for flag in sanitizer.flags]
    folder = tmp_path_factory.mktemp("built")
    with app_workspace.opened(f"sanitized_{request.param}") as workspace:
        groups = override_library.build(
            workspace, graphs, folder, ("unstripped", "programs"), flags=flags
        )
        yield _Built(sanitizer, {**groups["unstripped"], **groups["programs"]})


def test_c_interface(built: _Built, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    c_api_models.write(files)
    for name, file in built.files.items():
        (files / name).symlink_to(file)
    tests = Path(e2e.__file__).with_name("test_c_api.py")
    python = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    words = [*python, "--import-mode=importlib", "-k", _NOT_RUN, tests]
    output, reports = built.run(words, tmp_path, {"TFCARVE_C_API_FILES": str(files)})
    assert reports == ""
    assert " passed" in output


def _run(built: _Built, models: Path, folder: Path, *fault: str) -> tuple[str, str]:
    module = [sys.executable, "-m", "e2e.sessions.sanitized_run"]
    return built.run([*module, built.files[_LIBRARY], models, *fault], folder)


def test_graphs(built: _Built, models: Path, tmp_path: Path) -> None:
    output, reports = _run(built, models, tmp_path)
    assert reports == ""
    # The other lines are protobuf's, about damaged graphs.
    ran, refused = map(int, output.splitlines()[-1].split())
    assert ran > 1000
    assert refused > 100


def _leaks(built: _Built, command: Sequence[str | Path], folder: Path) -> str:
    """Runs a program in C++, because Python does not free all its memory; returns the report."""
    options = built.sanitizer.options | {"ASAN_OPTIONS": "detect_leaks=1"}
    alone = replace(built, sanitizer=replace(built.sanitizer, options=options))
    suppressions = folder / "suppressions"
    suppressions.write_text(_STAYS)
    variables = {"LSAN_OPTIONS": f"print_suppressions=0:suppressions={suppressions}"}
    return alone.run(command, folder, variables)[1]


@pytest.mark.parametrize("built", ["memory"], indirect=True)
def test_no_leaks(built: _Built, models: Path, tmp_path: Path) -> None:
    for name in override_graphs.NAMES:
        folder = tmp_path / name
        folder.mkdir()
        fed = f"--input={sanitized_run.INPUT}={models / name}.0.npy"
        fetched = f"--output={sanitized_run.OUTPUT}=output.npy"
        words = [built.files["run_model"], models / f"{name}.pb", fed, fetched]
        assert _leaks(built, words, folder) == ""
        assert (folder / "output.npy").is_file()


@pytest.mark.parametrize("built", ["memory"], indirect=True)
def test_leak_is_found(built: _Built, tmp_path: Path) -> None:
    source, program = tmp_path / "leak.cc", tmp_path / "leak"
    source.write_text("int* volatile last; int main() { last = new int; last = nullptr; }\n")
    subprocess.run(["g++", *built.sanitizer.flags, source, "-o", program], check=True)
    assert "detected memory leaks" in _leaks(built, [program], tmp_path)


def _write_product(folder: Path, size: int) -> None:
    """Writes a graph that multiplies a square matrix of integers, with sums that overflow."""
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.int32, [size, size], name=sanitized_run.INPUT)
        tf.matmul(fed, fed, name=sanitized_run.OUTPUT)
    (folder / "product.pb").write_bytes(_bytes(graph.as_graph_def()))
    np.save(folder / "product.0.npy", np.full((size, size), 1 << 16, np.int32))


@pytest.mark.parametrize(
    ("built", "size", "fault", "message"),
    [
        # In scalars: the overflow of a vector is defined.
        ("memory", 3, (), "signed integer overflow"),
        ("memory", 64, ("short buffer",), "heap-buffer-overflow"),
        ("threads", 300, ("changed input",), "data race"),
    ],
    indirect=["built"],
)
def test_faults_are_found(
    built: _Built, size: int, fault: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    _write_product(folder, size)
    assert message in _run(built, folder, tmp_path, *fault)[1]
