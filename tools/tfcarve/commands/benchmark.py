"""`tfcarve benchmark`: measures a model in a carved library."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tfcarve import files, progress
from tfcarve.benchmark import emulated, executable, page, program, report, tables, task
from tfcarve.benchmark.executable import Executable
from tfcarve.benchmark.report import Benchmark
from tfcarve.benchmark.report_json import report_json
from tfcarve.benchmark.task import Task
from tfcarve.commands import common, size_common
from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.models.node_use import Model
from tfcarve.models.summary import summary
from tfcarve.printable import printable

NAME = "benchmark"
HELP = "measures a model in a carved library: time and memory, in total and by node"

_MAX_THREADS = 1024
_MAX_RUNS = 1_000_000
_MAX_SECONDS = 86_400


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
        metavar="PROGRAM|LIBRARY",
        help="a benchmark_model, from the output group `benchmark` of a library; or a shared library for this machine",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="a frozen GraphDef (.pb)")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE.npy",
        help="feed the array in FILE to the node NAME; may be repeated",
    )
    parser.add_argument(
        "--input-random",
        action="append",
        default=[],
        metavar="NAME=TYPE:DIMS",
        help="feed random values, the same in each run, e.g. x=float32:1x224x224x3; may be repeated; "
        "default: random values of each other input's type and shape",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="compute the node NAME; may be repeated; default: the nodes that no other node reads",
    )
    numbers = (
        ("--threads", 0, _MAX_THREADS, 1, "number of compute threads; 0: one per core; default: 1"),
        (
            "--warmup",
            0,
            _MAX_RUNS,
            1,
            "number of runs between the first run and the measured ones; default: 1",
        ),
        (
            "--traced-runs",
            0,
            _MAX_RUNS,
            5,
            "number of further runs that time each node; default: 5",
        ),
        ("--nodes", 1, _MAX_RUNS, None, "also print a table of the N slowest nodes"),
    )
    for option, low, high, default, text in numbers:
        parser.add_argument(
            option, type=_integer(low, high), default=default, metavar="N", help=text
        )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--runs",
        type=_integer(0, _MAX_RUNS),
        default=20,
        metavar="N",
        help="number of measured runs; default: 20",
    )
    length.add_argument(
        "--seconds",
        type=_integer(1, _MAX_SECONDS),
        metavar="N",
        help="measure for N seconds instead",
    )
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="write the last traced run for chrome://tracing or Perfetto",
    )
    parser.add_argument(
        "--sizes",
        type=Path,
        metavar="REPORT",
        help="the library's size report: the page then shows the bytes of each op",
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page")
    parser.add_argument("--json", action="store_true", help="print JSON")


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
    found = summary(model)
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
            measurement = emulated.shapes(kind.cpu, path.absolute(), requested, arguments.trace)
        else:
            show("measuring", 0, 1)
            command = [str(path.absolute())]
            if not kind.is_program:
                command = [sys.executable, "-m", "tfcarve.benchmark.library_run", *command]
            measurement = program.run(command, requested, arguments.trace)
    return report.benchmark(str(path), kind.cpu, measurement, model.nodes, instructions)


def _require(arguments: argparse.Namespace, kind: Executable) -> None:
    """Raises InvalidInput if the options do not fit the program or library."""
    if arguments.trace is not None and not arguments.traced_runs:
        raise InvalidInput("--trace requires --traced-runs of at least 1")
    if arguments.sizes is not None and arguments.html is None:
        raise InvalidInput("--sizes requires --html FILE: only the page shows sizes")
    if kind.is_program:
        return
    if kind.cpu != executable.host_cpu():
        raise InvalidInput(
            f"{arguments.program}: a library for {kind.cpu}, which this machine cannot load: "
            "give the benchmark_model of the library instead"
        )
    if arguments.trace is not None:
        raise InvalidInput("--trace requires a benchmark_model, not a library")


def run(arguments: argparse.Namespace) -> int:
    """Runs the benchmark; prints and writes the reports."""
    kind = executable.identify(files.read_bytes(arguments.program), str(arguments.program))
    _require(arguments, kind)
    sizes = size_common.load_report(arguments.sizes) if arguments.sizes else None
    model = read.read(arguments.model)
    if model.format != "graphdef":
        raise InvalidInput(
            f"{arguments.model}: expected a frozen GraphDef, not the format {model.format}"
        )
    benchmark = _measure(arguments, kind, model)
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
