"""Compares model preparation with TensorFlow's transform_graph and Grappler.

    PYTHONPATH=tools:tests:. python -m benchmarks.preparation.prepare -o benchmarks/results/PREPARE.md

in the repository's root, with a Python that has the release's tensorflow-cpu. Compiles transform_graph once per user (70 s).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import measure
from benchmarks.page import head
from benchmarks.preparation import prepare_table
from benchmarks.preparation.prepare_table import Comparison, Prepared
from bootstrap.cache import cache_root
from demo import cached_models, transform_graph
from demo.cached_models import CachedModel
from demo.library import INPUT, OUTPUT, largest_difference
from demo.transform_graph import TransformFailed, TransformGraph
from tfcarve import files
from tfcarve.commands import common
from tfcarve.errors import TfcarveError
from tfcarve.prepare.fold.channels import BATCH_NORMS
from tfcarve.prepare.graph import graph_file

Array = np.ndarray[Any, np.dtype[Any]]
_TOOLS = Path(__file__).parents[2] / "tools"
# The pipeline for deployment in the documentation of TensorFlow's tool.
_PIPELINE = (
    'strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics) '
    "fold_constants(ignore_errors=true) fold_batch_norms fold_old_batch_norms"
)
# The same for models whose inputs are already Placeholders.
_ANY = (
    "strip_unused_nodes remove_nodes(op=Identity, op=CheckNumerics) fold_constants(ignore_errors=true) "
    "fold_batch_norms fold_old_batch_norms"
)
_ROUNDS = 3
MODELS = ("inception_v3", "mobilenet_v2", "resnet_50", "lstm", "efficientnet_b0")
_TFCARVE = "`mobile`"


def _command(model: Path, made: Path, how: Sequence[str]) -> list[str]:
    ends = ["--inputs", INPUT, "--outputs", OUTPUT]
    return [sys.executable, "-m", "tfcarve", "transform", str(model), "-o", str(made), *ends, *how]


def _peer(*arguments: str | Path) -> None:
    command = [
        sys.executable,
        "-m",
        "benchmarks.preparation.prepare_reference",
        *map(str, arguments),
    ]
    subprocess.run(command, check=True, stderr=subprocess.PIPE)


def _environment() -> Mapping[str, str]:
    return {"PYTHONPATH": str(_TOOLS), "TF_CPP_MIN_LOG_LEVEL": "0"}


def transform(model: Path, made: Path, how: Sequence[str]) -> None:
    """Transforms a model to `made` with the options `how`; raises CalledProcessError if `tfcarve transform` fails."""
    environment = {**os.environ, **_environment()}
    command = _command(model, made, how)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def compared(model: Path, reference: TransformGraph, folder: Path) -> Comparison:
    """Measures both tools alternately with the documented pipeline.

    Raises CalledProcessError if one fails.
    """
    own_file, other_file = folder / "tfcarve.pb", folder / "reference.pb"
    commands = (
        _command(model, own_file, ["--transforms", _PIPELINE]),
        reference.command(model, other_file, [INPUT], [OUTPUT], _PIPELINE),
    )
    own, other = measure.in_turns(_ROUNDS, *((command, _environment()) for command in commands))
    sizes = (own_file.stat().st_size, other_file.stat().st_size)
    return Comparison(model.stat().st_size, own, other, sizes)


def output_of(model: Path, fed: Path, folder: Path) -> Array | None:
    """Returns the output of a model, or None if TensorFlow can't run it."""
    output = folder / "output.npy"
    try:
        _peer("run", model, fed, output)
    except subprocess.CalledProcessError:
        return None
    array: Array = np.load(output)
    return array


def _measured(
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
    name: str, cached: CachedModel, reference: TransformGraph, folder: Path
) -> Iterator[Prepared]:
    """Yields the results for a model itself and after each tool; a failure of transform_graph is reported on stderr.

    Raises CalledProcessError if tfcarve or Grappler fails.
    """
    model, fed = cached.model, cached.input
    expected = output_of(model, fed, folder)
    assert expected is not None
    made = folder / "made.pb"
    yield _measured(name, "source", model, fed, expected, folder)
    transform(model, made, ["--preset", "mobile"])
    yield _measured(name, _TFCARVE, made, fed, expected, folder)
    _peer("optimize", model, made)
    yield _measured(name, "Grappler", made, fed, expected, folder)
    try:
        reference.run(reference.command(model, made, [INPUT], [OUTPUT], _ANY))
    except TransformFailed as error:
        print(f"{name}: transform_graph: {error}", file=sys.stderr)
        return
    yield _measured(name, "`transform_graph`", made, fed, expected, folder)


_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.preparation.prepare -o benchmarks/results/PREPARE.md"


def text(machine: str, concurrent_load: str, whole: Comparison, rows: Sequence[Prepared]) -> str:
    """Returns the page."""
    misses = prepare_table.missed(whole, rows, _TFCARVE)
    return "\n".join(
        (
            head(
                "Preparation of models",
                _COMMAND,
                machine,
                f"Running at the same time: {concurrent_load}.",
            ),
            f"Inception v3 with the pipeline in TensorFlow's documentation: medians of {_ROUNDS} alternating runs, and the largest",
            "memory of one process. `transform_graph` is compiled with -O1 from TensorFlow's sources and linked with the library of",
            "its wheel. It does not fold FusedBatchNormV3:\n",
            f"    {_PIPELINE}\n",
            prepare_table.pipeline(whole),
            "\n`mobile` next to Grappler (pruning, constant folding, arithmetic, dependency) and to TensorFlow's",
            "`transform_graph` with the same pipeline. The difference is that of the outputs from the source's, run without",
            "optimizations:\n",
            prepare_table.models(rows),
            "\nMissed goals:\n" if misses else "\nAll goals are met.",
            *(f"- {miss}" for miss in misses),
            "",
        )
    )


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a measurement fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.preparation.prepare", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--concurrent-load",
        default="nothing",
        help="what else runs on the machine (default: %(default)s)",
    )
    parser.add_argument(
        "--tensorflow",
        type=Path,
        metavar="DIR",
        help="TensorFlow's source tree (default: $TFCARVE_TENSORFLOW, or the pinned version)",
    )
    arguments = parser.parse_args(argv)
    machine = measure.machine()
    try:
        tree = common.sources(arguments.tensorflow).tree()
        reference = transform_graph.built(tree, cache_root())
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            whole = compared(cached_models.load("inception_v3").model, reference, folder)
            rows = [
                row
                for model in MODELS
                for row in prepared(model, cached_models.load(model), reference, folder)
            ]
        page = text(machine, arguments.concurrent_load, whole, rows)
        files.write_if_changed(arguments.output, page.encode())
    except (TfcarveError, subprocess.CalledProcessError) as error:
        print(f"prepare: {error} {getattr(error, 'stderr', '') or ''}", file=sys.stderr)
        return 2
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
