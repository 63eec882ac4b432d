"""The command of a benchmark of products: its options, its page and its exit status."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page
from benchmarks.matrix import products_table
from tfcarve.errors import TfcarveError

# Builds and measures in a folder, with a number of rounds; returns the text of the page below its head.
Measure = Callable[[Path, int], str]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark of products.

    Attributes:
      module: its name in benchmarks.matrix.
      description: of its module.
      title: of its page.
      file: the name of its page.
      rounds: the number of times that each product is computed, without an option.
    """

    module: str
    description: str
    title: str
    file: str
    rounds: int

    @property
    def program(self) -> str:
        """The words that run it, after the Python interpreter."""
        return f"-m benchmarks.matrix.{self.module}"

    def head(self, machine: str, rounds: int) -> str:
        """Returns the head of its page, at the end of the benchmark."""
        conditions = f"Load {os.getloadavg()[0]:.1f} at the end. One thread, CPU time, the minimum of {rounds} rounds in turns."
        return page.head(
            self.title, f"PYTHONPATH=tools:. python {self.program}", machine, conditions
        )


def _arguments(benchmark: Benchmark, argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python {benchmark.program}", description=benchmark.description
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=benchmark.rounds,
        help="number of times that each product is computed",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=page.RESULTS / benchmark.file, metavar="FILE"
    )
    return parser.parse_args(argv)


def run(benchmark: Benchmark, measured: Measure, argv: Sequence[str]) -> int:
    """Runs a benchmark and writes its page.

    Args:
      benchmark: the benchmark.
      measured: builds and measures.
      argv: the options.

    Returns:
      Exit status 0; 1 if a product is wrong; 2 if something is missing.
    """
    arguments = _arguments(benchmark, argv)
    if platform.machine() != "x86_64" or arguments.rounds < 1:
        print(f"{benchmark.module}: requires x86-64 and at least one round", file=sys.stderr)
        return 2
    machine = measure.machine()
    with tempfile.TemporaryDirectory() as name:
        try:
            text = measured(Path(name), arguments.rounds)
        except products_table.WrongProduct as error:
            print(f"{benchmark.module}: {error}", file=sys.stderr)
            return 1
        except (TfcarveError, subprocess.CalledProcessError) as error:
            print(f"{benchmark.module}: {error}", file=sys.stderr)
            return 2
    arguments.output.write_text(f"{benchmark.head(machine, arguments.rounds)}\n{text}")
    print(arguments.output.read_text())
    return 0
