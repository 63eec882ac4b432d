"""Preparation of models next to TensorFlow's transform_graph and Grappler.

    PYTHONPATH=tools:tests:. python -m benchmarks.prepare -o benchmarks/PREPARE.md

in the repository's folder, with a Python that has tensorflow-cpu 2.14.1. Compiles transform_graph once for this user (70 s).
"""

from __future__ import annotations

import argparse
import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import measure, prepare_table
from benchmarks.prepare_table import Prepared, Taken
from bootstrap.cache import cache_root
from demo import cached_models, transform_graph
from demo.library import INPUT, OUTPUT, largest_difference
from demo.transform_graph import TransformFailed, TransformGraph
from tfcarve import files
from tfcarve.commands import common
from tfcarve.errors import TfcarveError
from tfcarve.prepare import graph_file
from tfcarve.prepare.channels import BATCH_NORMS

Array = np.ndarray[Any, np.dtype[Any]]
_TOOLS = Path(__file__).parents[1] / "tools"
# The page of TensorFlow's tool has this for deployment.
_PAGE = (
    'strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics) '
    "fold_constants(ignore_errors=true) fold_batch_norms fold_old_batch_norms"
)
# The same where the inputs are Placeholders already.
_ANY = (
    "strip_unused_nodes remove_nodes(op=Identity, op=CheckNumerics) fold_constants(ignore_errors=true) "
    "fold_batch_norms fold_old_batch_norms"
)
_ROUNDS = 3
_ZOO = ("inception_v3", "mobilenet_v2", "resnet_50", "lstm")
_OURS = "`mobile`"


def _ours(model: Path, made: Path, how: Sequence[str]) -> list[str]:
    ends = ["--inputs", INPUT, "--outputs", OUTPUT]
    return [sys.executable, "-m", "tfcarve", "transform", str(model), "-o", str(made), *ends, *how]


def _peer(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "benchmarks.prepare_peer", *map(str, arguments)]
    subprocess.run(command, check=True, stderr=subprocess.PIPE)


def _environment() -> Mapping[str, str]:
    return {"PYTHONPATH": str(_TOOLS), "TF_CPP_MIN_LOG_LEVEL": "0"}


def transform(model: Path, made: Path, how: Sequence[str]) -> None:
    """Makes `made` of a model with `how`, options of `tfcarve transform`; raises CalledProcessError where it fails."""
    environment = {**os.environ, **_environment()}
    command = _ours(model, made, how)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def taken(model: Path, oracle: TransformGraph, folder: Path) -> Taken:
    """Measures the page's pipeline on a model by both tools, in turns.

    Raises CalledProcessError where one fails.
    """
    ours, theirs = folder / "ours.pb", folder / "theirs.pb"
    commands = (
        _ours(model, ours, ["--transforms", _PAGE]),
        oracle.command(model, theirs, [INPUT], [OUTPUT], _PAGE),
    )
    own, other = measure.in_turns(_ROUNDS, *((command, _environment()) for command in commands))
    sizes = (ours.stat().st_size, theirs.stat().st_size)
    return Taken(model.stat().st_size, own, other, sizes)


def output_of(model: Path, fed: Path, folder: Path) -> Array | None:
    """Returns what a model gives; None where TensorFlow can't run it."""
    output = folder / "output.npy"
    try:
        _peer("run", model, fed, output)
    except subprocess.CalledProcessError:
        return None
    given: Array = np.load(output)
    return given


def _looked_at(
    name: str, tool: str, model: Path, fed: Path, expected: Array, folder: Path
) -> Prepared:
    output = output_of(model, fed, folder)
    nodes = graph_file.read_graph(model).nodes
    return Prepared(
        model=name,
        tool=tool,
        nodes=len(nodes),
        bytes=model.stat().st_size,
        norms=sum(node.op in BATCH_NORMS for node in nodes),
        difference=None if output is None else largest_difference(output, expected),
    )


def prepared(
    name: str, model: Path, fed: Path, oracle: TransformGraph, folder: Path
) -> Iterator[Prepared]:
    """Yields a model as it is and as each tool leaves it; a tool that fails is left out and named on stderr.

    Raises CalledProcessError where ours or Grappler fails.
    """
    expected = output_of(model, fed, folder)
    assert expected is not None
    made = folder / "made.pb"
    yield _looked_at(name, "source", model, fed, expected, folder)
    transform(model, made, ["--preset", "mobile"])
    yield _looked_at(name, _OURS, made, fed, expected, folder)
    _peer("optimize", model, made)
    yield _looked_at(name, "Grappler", made, fed, expected, folder)
    try:
        oracle.run(oracle.command(model, made, [INPUT], [OUTPUT], _ANY))
    except TransformFailed as error:
        print(f"{name}: transform_graph: {error}", file=sys.stderr)
        return
    yield _looked_at(name, "`transform_graph`", made, fed, expected, folder)


def models(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Yields the name, the file and an input of each model; those that are not kept are made in `folder`."""
    for name in _ZOO:
        made = cached_models.load(name)
        yield name, made.model, made.input
    model, fed = folder / "efficientnet_b0.pb", folder / "efficientnet_b0.npy"
    _peer("make", model, fed)
    yield "efficientnet_b0", model, fed


def text(machine: str, beside: str, whole: Taken, rows: Sequence[Prepared]) -> str:
    """Returns the page."""
    misses = prepare_table.missed(whole, rows, _OURS)
    return "\n".join(
        (
            "# Preparation of models\n",
            f"Measured on {datetime.date.today().isoformat()}: {machine}. Beside it ran: {beside}.\n",
            "    PYTHONPATH=tools:tests:. python -m benchmarks.prepare -o benchmarks/PREPARE.md\n",
            f"Inception v3, the pipeline of TensorFlow's page, medians of {_ROUNDS} runs in turns, the largest memory of one",
            "process. `transform_graph` is compiled with -O1 from TensorFlow's sources and linked with its wheel's library. It",
            "does not fold FusedBatchNormV3:\n",
            f"    {_PAGE}\n",
            prepare_table.pipeline(whole),
            "\n`mobile` next to Grappler (pruning, constant folding, arithmetic, dependency) and to TensorFlow's",
            "`transform_graph` with the same pipeline. The difference is of outputs from the source's, where nothing is",
            "optimized:\n",
            prepare_table.models(rows),
            "\nGoals that are missed:\n" if misses else "\nNo goal is missed.",
            *(f"- {miss}" for miss in misses),
            "",
        )
    )


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 2 where something can't be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prepare", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--beside", default="nothing", help="what else runs on the machine")
    parser.add_argument(
        "--tensorflow",
        type=Path,
        metavar="DIR",
        help="TensorFlow's source tree; else $TFCARVE_TENSORFLOW, else the pinned version",
    )
    asked = parser.parse_args(argv)
    machine = measure.machine()
    try:
        tree = common.tensorflow_tree(asked.tensorflow)
        oracle = transform_graph.built(tree, cache_root())
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            whole = taken(cached_models.load("inception_v3").model, oracle, folder)
            rows = [
                row
                for model, path, fed in models(folder)
                for row in prepared(model, path, fed, oracle, folder)
            ]
        page = text(machine, asked.beside, whole, rows)
        files.write_if_changed(asked.output, page.encode())
    except (TfcarveError, subprocess.CalledProcessError) as error:
        print(f"prepare: {error} {getattr(error, 'stderr', '') or ''}", file=sys.stderr)
        return 2
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
