"""`tfcarve benchmark`: measures a model in a carved library."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfcarve import files, progress
from tfcarve.benchmark import (
    emulated,
    figures,
    measurement,
    page,
    program,
    report,
    tables,
    task,
)
from tfcarve.benchmark.report import Benchmark
from tfcarve.benchmark.report_json import report_json
from tfcarve.benchmark.task import Task
from tfcarve.commands import common, options, size_common
from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.models.node_use import Model
from tfcarve.models.summary import summary
from tfcarve.objfile import executable
from tfcarve.objfile.executable import Executable
from tfcarve.printable import printable
from tfcarve.releases import known
from tfcarve.validity import op_types

NAME = "benchmark"
HELP = "measures a model in a carved library: time and memory, in total and by node"

_MAX_THREADS = 1024
_MAX_RUNS = 1_000_000
_MAX_SECONDS = 86_400
# The options of a run and their defaults.
_RUN_OPTIONS: Mapping[str, Any] = {
    "input": [],
    "input_random": [],
    "output": [],
    "threads": 1,
    "warmup": 1,
    "traced_runs": 5,
    "runs": 20,
    "seconds": None,
    "trace": None,
}


def _integer(low: int, high: int) -> Callable[[str], int]:
    """Returns a parser of integers from `low` to `high`."""

    def parse(text: str) -> int:
        is_number = text.isascii() and text.isdecimal() and len(text) < 10
        if not (is_number and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(
                f"expected a number from {low} to {high}, not {text!r}"
            )
        return int(text)

    return parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "program",
        type=Path,
        metavar="PROGRAM|LIBRARY|FIGURES",
        help="a benchmark_model, from the output group `programs` of a library; or a shared library for this machine; "
        "or with --figures the JSON that benchmark_model wrote on a device",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="a frozen GraphDef (.pb)")
    parser.add_argument(
        "--figures",
        action="store_true",
        help="runs nothing: shows FIGURES of the model",
    )
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="feeds the array in FILE to the node NAME; may be repeated",
    )
    parser.add_argument(
        "--input-random",
        action="append",
        default=[],
        metavar="NAME=TYPE:DIMS",
        help="feeds random values, the same in each run, e.g. x=float32:1x224x224x3; may be repeated "
        "(default: random values of each other input's type and shape)",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="computes the node NAME; may be repeated (default: the nodes that no other node reads)",
    )
    numbers = (
        ("--threads", 0, _MAX_THREADS, "number of compute threads; 0: one per core (default: 1)"),
        (
            "--warmup",
            0,
            _MAX_RUNS,
            "number of runs between the first run and the measured ones (default: 1)",
        ),
        (
            "--traced-runs",
            0,
            _MAX_RUNS,
            "number of further runs that time each node (default: 5)",
        ),
        ("--nodes", 1, _MAX_RUNS, "also prints a table of the N slowest nodes"),
    )
    for option, low, high, text in numbers:
        parser.add_argument(option, type=_integer(low, high), metavar="N", help=text)
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--runs",
        type=_integer(0, _MAX_RUNS),
        metavar="N",
        help="number of measured runs (default: 20)",
    )
    length.add_argument(
        "--seconds",
        type=_integer(1, _MAX_SECONDS),
        metavar="N",
        help="measures for N seconds instead",
    )
    parser.add_argument(
        "--trace",
        type=options.output_file,
        metavar="FILE",
        help=f"writes the last traced run for chrome://tracing or Perfetto; {options.OR_DASH}",
    )
    parser.add_argument(
        "--sizes",
        type=Path,
        metavar="REPORT",
        help="the library's size report: the page then shows the bytes of each op",
    )
    parser.add_argument(
        "--html",
        type=options.output_file,
        metavar="FILE",
        help=f"writes an HTML page; {options.OR_DASH}",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")
    parser.set_defaults(**_RUN_OPTIONS)


def _pairs(words: Sequence[str], option: str, form: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise InvalidInput(f"--{option} takes NAME={form}, not {word!r}")
        pairs.append((name, value))
    return tuple(pairs)


def _task(arguments: argparse.Namespace, model: Model) -> Task:
    inputs = _pairs(arguments.input, "input", "FILE.npy")
    described = _pairs(arguments.input_random, "input-random", "TYPE:DIMS")
    found = summary(model, op_types.of_model(model, known.release()))
    fed = [name for name, _ in (*inputs, *described)]
    return Task(
        model=arguments.model,
        inputs=tuple((name, Path(path)) for name, path in inputs),
        random_inputs=described + task.other_inputs(found, fed, arguments.model),
        outputs=tuple(arguments.output) or task.outputs(found, arguments.model),
        threads=arguments.threads,
        warmup=arguments.warmup,
        runs=arguments.runs,
        seconds=arguments.seconds,
        traced_runs=arguments.traced_runs,
    )


def _measure(arguments: argparse.Namespace, kind: Executable, model: Model) -> Benchmark:
    path, requested = arguments.program, _task(arguments, model)
    instructions = None
    with progress.shown() as show:
        if kind.cpu != executable.host_cpu():
            show("counting instructions under qemu", 0, 2)
            instructions = emulated.count(kind.cpu, path.absolute(), requested)
            show("tracing the nodes under qemu", 1, 2)
            measured = emulated.shapes(kind.cpu, path.absolute(), requested, arguments.trace)
        else:
            show("measuring", 0, 1)
            command = [str(path.absolute())]
            if not kind.is_program:
                command = [sys.executable, "-m", "tfcarve.benchmark.library_run", *command]
            measured = program.run(command, requested, arguments.trace)
    return report.benchmark(str(path), kind.cpu, measured, model.nodes, instructions)


def _of_figures(arguments: argparse.Namespace, model: Model) -> Benchmark:
    path = str(arguments.program)
    measured = measurement.parse(files.read_bytes(arguments.program), path)
    figures.check(measured, path, model.nodes, str(arguments.model))
    return report.benchmark(path, "", measured, model.nodes, None)


def _require(arguments: argparse.Namespace) -> None:
    """Raises InvalidInput if options contradict each other."""
    if arguments.trace is not None and not arguments.traced_runs:
        raise InvalidInput("--trace requires --traced-runs of at least 1")
    if arguments.sizes is not None and arguments.html is None:
        raise InvalidInput("--sizes requires --html FILE: only the page shows sizes")
    if not arguments.figures:
        return
    for name, default in _RUN_OPTIONS.items():
        if getattr(arguments, name) != default:
            option = name.replace("_", "-")
            raise InvalidInput(f"--{option} cannot be combined with --figures, which runs nothing")


def _require_loadable(arguments: argparse.Namespace, kind: Executable) -> None:
    """Raises InvalidInput if the file is a library that this machine cannot load, or cannot trace."""
    if kind.is_program:
        return
    if kind.cpu != executable.host_cpu():
        raise InvalidInput(
            f"{arguments.program}: a library for {kind.cpu}, which this machine cannot load: "
            "pass the benchmark_model of the library instead"
        )
    if arguments.trace is not None:
        raise InvalidInput("--trace requires a benchmark_model, not a library")


def _kind(arguments: argparse.Namespace) -> Executable:
    kind = executable.identify(files.read_bytes(arguments.program), str(arguments.program))
    _require_loadable(arguments, kind)
    return kind


def run(arguments: argparse.Namespace) -> int:
    """Runs the benchmark, or reads its figures; prints and writes the reports."""
    _require(arguments)
    kind = None if arguments.figures else _kind(arguments)
    sizes = size_common.load_report(arguments.sizes) if arguments.sizes else None
    model = read.read(arguments.model)
    if model.format != "graphdef":
        raise InvalidInput(
            f"{arguments.model}: expected a frozen GraphDef, not the format {model.format}"
        )
    benchmark = _measure(arguments, kind, model) if kind else _of_figures(arguments, model)
    if arguments.html is not None:
        files.write_if_changed(arguments.html, page.page(benchmark, sizes))
    if arguments.json:
        common.output(report_json(benchmark), None)
        return 0
    for line in tables.summary(benchmark):
        print(printable(line))
    for rows, last in (
        (tables.ops(benchmark), "op"),
        (tables.nodes(benchmark, arguments.nodes or 0), "node"),
    ):
        if rows:
            print()
            common.table(rows, tables.columns(benchmark, last), False)
    return 0
