"""`tfcarve benchmark`: how fast a model runs in a carved library, and what takes the time."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tfcarve import files, progress
from tfcarve.benchmark import emulated, executable, page, program, report, tables, task
from tfcarve.benchmark.executable import Executable
from tfcarve.benchmark.report import Benchmark
from tfcarve.benchmark.task import Task
from tfcarve.commands import common, size_common
from tfcarve.errors import InvalidInput
from tfcarve.models import read
from tfcarve.models.node_use import Model
from tfcarve.models.summary import summary
from tfcarve.printable import printable

NAME = "benchmark"
HELP = "measures a model in a carved library: time, memory, each node's share"

_MOST_THREADS = 1024
_MOST_RUNS = 1_000_000
_MOST_SECONDS = 86_400


def _number(least: int, most: int) -> Callable[[str], int]:
    """Returns a parser of numbers from `least` to `most`."""

    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) < 10):
            raise argparse.ArgumentTypeError(f"a number from {least} to {most}, not {text!r}")
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a number from {least} to {most}, not {text}")
        return int(text)

    return parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "program",
        type=Path,
        metavar="PROGRAM|LIBRARY",
        help="a benchmark_model, which a build makes beside a library; or a shared library for this machine",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="a frozen GraphDef, .pb")
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
        help="feeds random numbers, the same each time: x=float32:1x224x224x3; "
        "inputs that are not named get some of their own type and shape",
    )
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME",
        help="a node to compute; may be repeated; else all that no other node reads",
    )
    numbers = (
        ("--threads", 0, _MOST_THREADS, 1, "threads to compute with; 0: one a core; default: 1"),
        ("--warmup", 0, _MOST_RUNS, 1, "runs after the first that do not count; default: 1"),
        ("--traced-runs", 0, _MOST_RUNS, 5, "further runs that time each node; default: 5"),
        ("--nodes", 1, _MOST_RUNS, None, "prints a table of the N slowest nodes too"),
    )
    for option, least, most, default, what in numbers:
        parser.add_argument(
            option, type=_number(least, most), default=default, metavar="N", help=what
        )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--runs",
        type=_number(0, _MOST_RUNS),
        default=20,
        metavar="N",
        help="runs that count; default: 20",
    )
    length.add_argument(
        "--seconds",
        type=_number(1, _MOST_SECONDS),
        metavar="N",
        help="as many runs as fit into so many seconds, instead",
    )
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="where a traced run goes for chrome://tracing or Perfetto",
    )
    parser.add_argument(
        "--sizes",
        type=Path,
        metavar="REPORT",
        help="the library's size report, for the page: bytes beside time",
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="where a page goes")
    parser.add_argument("--json", action="store_true", help="prints JSON")


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
    given = [name for name, _ in (*inputs, *described)]
    return Task(
        model=arguments.model,
        inputs=tuple((name, Path(path)) for name, path in inputs),
        random_inputs=described + task.other_inputs(found, given, arguments.model),
        outputs=tuple(arguments.output) or task.outputs(found, arguments.model),
        threads=arguments.threads,
        warmup=arguments.warmup,
        runs=arguments.runs,
        seconds=arguments.seconds,
        traced_runs=arguments.traced_runs,
    )


def _measure(arguments: argparse.Namespace, kind: Executable, model: Model) -> Benchmark:
    path, asked = arguments.program, _task(arguments, model)
    instructions = None
    with progress.shown() as show:
        if kind.cpu != executable.own_cpu():
            show("counting instructions under qemu", 0, 2)
            instructions = emulated.count(kind.cpu, path.absolute(), asked)
            show("looking at the nodes under qemu", 1, 2)
            measured = emulated.shapes(kind.cpu, path.absolute(), asked, arguments.trace)
        else:
            show("measuring", 0, 1)
            command = [str(path.absolute())]
            if not kind.is_program:
                command = [sys.executable, "-m", "tfcarve.benchmark.library_run", *command]
            measured = program.run(command, asked, arguments.trace)
    return report.benchmark(str(path), kind.cpu, measured, model.nodes, instructions)


def _require(arguments: argparse.Namespace, kind: Executable) -> None:
    """Raises InvalidInput where the options do not fit what is measured."""
    if arguments.trace is not None and not arguments.traced_runs:
        raise InvalidInput("--trace needs traced runs")
    if arguments.sizes is not None and arguments.html is None:
        raise InvalidInput("--sizes is for the page: give --html FILE too")
    if kind.is_program:
        return
    if kind.cpu != executable.own_cpu():
        raise InvalidInput(
            f"{arguments.program}: is a library for {kind.cpu}, which this machine does not run: "
            "give the benchmark_model that is built beside it"
        )
    if arguments.trace is not None:
        raise InvalidInput("--trace needs a benchmark_model, not a library")


def run(arguments: argparse.Namespace) -> int:
    """Measures, and prints and writes what is asked for."""
    kind = executable.look(files.read_bytes(arguments.program), str(arguments.program))
    _require(arguments, kind)
    sizes = size_common.load_report(arguments.sizes) if arguments.sizes else None
    model = read.read(arguments.model)
    if model.format != "graphdef":
        raise InvalidInput(
            f"{arguments.model}: is of format {model.format}: a frozen GraphDef is run"
        )
    done = _measure(arguments, kind, model)
    if arguments.html is not None:
        files.write_if_changed(arguments.html, page.page(done, sizes))
    if arguments.json:
        common.output(done.to_json(), None)
        return 0
    for line in tables.summary(done):
        print(printable(line))
    for rows, last in (
        (tables.ops(done), "op"),
        (tables.nodes(done, arguments.nodes or 0), "node"),
    ):
        if rows:
            print()
            common.table(rows, tables.columns(done, last), False)
    return 0
