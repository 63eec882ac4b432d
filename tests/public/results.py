"""Builds one library for public models, runs each model in it, and compares the outputs with full TensorFlow's."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bootstrap.cache import built_in_place, cache_root
from demo import cached_models, library
from demo.library import Library
from demo.nested import NestedError
from public.models import MODELS, Array
from tfcarve.app.workspace import Workspace
from tfcarve.cli import main
from tfcarve.proof.difference import TOLERANCES, difference, largest_difference

PACKAGE = "public"
PLATFORMS = ("linux_x86_64", "linux_arm64")
_INPUT = "input.npy"
BUILD_FILE = Path(__file__).with_name("app.BUILD")


@dataclass(frozen=True)
class Sample:
    """A frozen public model and what full TensorFlow computes with the original.

    Attributes:
      name: its key in MODELS.
      graph: the frozen graph.
      ops: the ops of its nodes.
      input: the name and the file of the input.
      expected: the outputs by name, computed with oneDNN.
      spread: the largest difference of TensorFlow's results without oneDNN from those.
    """

    name: str
    graph: Path
    ops: Sequence[str]
    input: tuple[str, Path]
    expected: Mapping[str, Array]
    spread: float


@dataclass(frozen=True)
class Result:
    """A model's run in a carved library.

    Attributes:
      largest: the largest difference of floating-point numbers, divided by 1 + |expected|.
      problem: what differs by more than the default tolerance of tf_model_test, and by more than twice as much as
        TensorFlow's own results with and without oneDNN; empty if nothing does.
    """

    largest: float
    problem: str


# The folders of the outputs, and whether TensorFlow uses oneDNN.
_KINDS = {"expected": "1", "without_onednn": "0"}


def sample(name: str, folder: Path) -> Sample:
    """Freezes a model; writes the graph to `folder`.

    Raises:
      BootstrapError: the model's package could not be downloaded.
      NestedError: tfcarve refuses the model.
      CalledProcessError: TensorFlow does.
    """
    graph = folder / f"{name}.pb"
    original = _original(name)
    _tfcarve("freeze", str(MODELS[name].source(original)), "-o", str(graph))
    report = json.loads(_tfcarve("inspect", "--json", str(graph)))
    (source,) = report["inputs"]
    expected, other = (
        {file.stem: np.load(file) for file in sorted((original / kind).glob("*.npy"))}
        for kind in _KINDS
    )
    ops = sorted(report["ops"])
    fed = source["name"], original / _INPUT
    return Sample(name, graph, ops, fed, expected, _largest(other, expected))


def _original(name: str) -> Path:
    """Returns the cached folder with a model's source, an input, and full TensorFlow's outputs."""
    modules = sorted(Path(__file__).parent.glob("*.py"))
    key = cached_models.key((module.read_bytes() for module in modules), ())
    folder = cache_root() / "public" / key / name
    with built_in_place(folder) as missing:
        if missing:
            source = MODELS[name].source(folder)
            np.save(folder / _INPUT, MODELS[name].input())
            for kind, onednn in _KINDS.items():
                (folder / kind).mkdir()
                _run_original(source, folder, kind, onednn)
    return folder


def _run_original(source: Path, folder: Path, kind: str, onednn: str) -> None:
    settings = {"TF_ENABLE_ONEDNN_OPTS": onednn, "TF_CPP_MIN_LOG_LEVEL": "2"}
    words = [source, folder / _INPUT, folder / kind]
    subprocess.run(
        [sys.executable, "-m", "public.reference", *words],
        check=True,
        capture_output=True,
        env={**os.environ, **settings},
    )


def _tfcarve(*words: str) -> str:
    """Runs a command of tfcarve; returns what it prints."""
    # Some commands write bytes.
    printed, errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        status = main(list(words))
    if status:
        raise NestedError(f"tfcarve {words[0]} failed: {errors.getvalue().strip()}")
    printed.seek(0)
    return printed.read()


def build(workspace: Workspace, platform: str, samples: Sequence[Sample]) -> Library:
    """Returns the library for all models; raises BuildError or NestedError."""
    workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
    workspace.place(PACKAGE, {one.graph.name: one.graph for one in samples}, "*.pb")
    target = f"//{PACKAGE}:{platform}"
    return library.build(workspace, target, platform, progress=sys.stderr.isatty())


def run(built: Library, one: Sample) -> Result:
    """Runs a model in the library; raises NestedError if it does not run."""
    actual = library.run_graph(built, one.graph, dict([one.input]), one.expected)
    allowed = {"float32": max(TOLERANCES["float32"], 2 * one.spread)}
    problems = (
        f"{output} {text}"
        for output, array in one.expected.items()
        if (text := difference(actual[output], array, allowed))
    )
    return Result(_largest(actual, one.expected), "; ".join(problems))


def _largest(actual: Mapping[str, Array], expected: Mapping[str, Array]) -> float:
    pairs = [(actual[name], array) for name, array in expected.items() if array.dtype.kind == "f"]
    return max(largest_difference(*pair) for pair in pairs)


def table(samples: Sequence[Sample], results: Mapping[tuple[str, str], Result]) -> str:
    """Returns the models with their differences as a Markdown table.

    Args:
      samples: the models.
      results: the results by model and platform.
    """
    platforms = dict.fromkeys(platform for _, platform in results)
    rows = [
        ["Model", "From", "Ops", *platforms, "TensorFlow without oneDNN"],
        ["---"] * (len(platforms) + 4),
    ]
    for one in samples:
        differences = [f"{results[one.name, platform].largest:.1e}" for platform in platforms]
        origin = MODELS[one.name].origin
        rows.append([one.name, origin, str(len(one.ops)), *differences, f"{one.spread:.1e}"])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
