"""Carved libraries for the benchmark of speed, one for each model, and what their programs measure."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from demo import library, made_models
from demo.library import Library
from demo.made_models import MadeModel
from demo.nested import NestedError, Workspace
from tfcarve.benchmark import program, shapes
from tfcarve.benchmark.measured import Measured
from tfcarve.benchmark.task import Task
from tfcarve.emit import aligned_graph
from tfcarve.files import write_pieces
from tfcarve.models import read

PACKAGE = "speed"
BUILD_FILE = Path(__file__).with_name("speed.BUILD")


@dataclass(frozen=True)
class Carved:
    """A carved library for a model.

    Attributes:
      program: its benchmark_model.
      model: the model.
      mapped: the same graph as `tfcarve memmap` writes it.
      difference: largest difference of the output from full TensorFlow's.
    """

    program: Path
    model: MadeModel
    mapped: Path
    difference: float

    def task(self, threads: int, runs: int) -> Task:
        """Returns what benchmark_model is to do: one run, another to warm up, and `runs` that count."""
        return Task(
            model=self.mapped,
            inputs=((library.INPUT, self.model.input),),
            random_inputs=(),
            outputs=(library.OUTPUT,),
            threads=threads,
            warmup=1,
            runs=runs,
            seconds=None,
            traced_runs=0,
        )

    def measured(self, threads: int, runs: int) -> Measured:
        """Runs the model in a new process; raises what program.run does."""
        return program.run([str(self.program)], self.task(threads, runs))

    def multiply_adds(self) -> float:
        """Returns those of one run, as far as they are known; raises what program.run does."""
        traced = replace(self.task(1, 0), traced_runs=1)
        measured = program.run([str(self.program)], traced)
        counts = shapes.counted(measured.nodes, read.read(self.model.model).nodes)
        known = zip(measured.nodes, counts, strict=True)
        return sum(node.calls * (count or 0) for node, count in known)


def build(workspace: Workspace, platform: str, names: Sequence[str]) -> Mapping[str, Carved]:
    """Returns a platform's libraries by the names of their models.

    Raises BuildError where a build fails, NestedError where there is no toolchain or a model does not run.
    """
    models = {name: made_models.made(name) for name in names}
    workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
    workspace.place(PACKAGE, {model.model.name: model.model for model in models.values()}, "*.pb")
    built = {}
    for name, model in models.items():
        target, progress = f"//{PACKAGE}:{platform}_{name}", sys.stderr.isatty()
        made = library.build(workspace, target, platform, progress=progress)
        built[name] = checked(made, model, _mapped(model))
    return built


def _mapped(model: MadeModel) -> Path:
    """Writes the model with its constants aligned; returns the file."""
    file = model.model.with_suffix(".mapped.pb")
    graph = read.mapped(model.model)
    write_pieces(file, (piece.data for piece in aligned_graph.aligned(graph)))
    return file


def checked(built: Library, model: MadeModel, mapped: Path) -> Carved:
    """Runs the model's mapped file once; raises NestedError where it does not run."""
    answer, _ = library.run_once(built, replace(model, model=mapped))
    if answer.output is None:
        raise NestedError(f"{built.platform}: {mapped.name} did not run: {answer.message}")
    difference = library.largest_difference(answer.output, np.load(model.output))
    return Carved(built.benchmark, model, mapped, difference)
