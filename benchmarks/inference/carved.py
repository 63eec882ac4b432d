"""Carved libraries for the speed benchmark, one for each model, and their measurements."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from demo import cached_models, library
from demo.cached_models import CachedModel
from demo.library import Library
from demo.nested import NestedError
from tfcarve.app.workspace import Workspace
from tfcarve.benchmark import program, shapes
from tfcarve.benchmark.measurement import Measurement
from tfcarve.benchmark.task import Task
from tfcarve.emit import aligned_graph
from tfcarve.files import write_pieces
from tfcarve.models import mapped_file, read
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.pipeline import pipeline, presets

PACKAGE = "speed"
BUILD_FILE = Path(__file__).with_name("speed.BUILD")


@dataclass(frozen=True)
class Carved:
    """A carved library and a model that it runs.

    Attributes:
      program: its benchmark_model.
      model: the frozen model.
      graph: the graph to run: frozen, or also prepared for mobile.
      mapped: that graph, written by `tfcarve memmap`.
      difference: largest difference of the output from full TensorFlow's.
    """

    program: Path
    model: CachedModel
    graph: Path
    mapped: Path
    difference: float

    def task(self, threads: int, runs: int) -> Task:
        """Returns the benchmark to run: a first run, one to warm up, and `runs` measured ones."""
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

    def measure(self, threads: int, runs: int) -> Measurement:
        """Runs the model in a new process; raises what program.run does."""
        return program.run([str(self.program)], self.task(threads, runs))

    def multiply_adds(self) -> float:
        """Returns the known multiply-adds of one run; raises what program.run does."""
        traced = replace(self.task(1, 0), traced_runs=1)
        measurement = program.run([str(self.program)], traced)
        counts = shapes.node_multiply_adds(measurement.nodes, read.read(self.graph).nodes)
        known = zip(measurement.nodes, counts, strict=True)
        return sum(node.calls * (count or 0) for node, count in known)


@dataclass(frozen=True)
class CarvedPair:
    """A library and both graphs of a model: frozen and prepared."""

    frozen: Carved
    prepared: Carved


def build(workspace: Workspace, platform: str, names: Sequence[str]) -> Mapping[str, CarvedPair]:
    """Returns the libraries for a platform by the names of their models.

    Raises BuildError if a build fails, NestedError if there is no toolchain or a model does not run.
    """
    models = {name: cached_models.load(name) for name in names}
    prepared = {name: _prepared(model.model) for name, model in models.items()}
    workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
    files = [file for name in names for file in (models[name].model, prepared[name])]
    workspace.place(PACKAGE, {file.name: file for file in files}, "*.pb")
    built = {}
    for name, model in models.items():
        target, progress = f"//{PACKAGE}:{platform}_{name}", sys.stderr.isatty()
        built_library = library.build(workspace, target, platform, progress=progress)
        graphs = (model.model, prepared[name])
        built[name] = CarvedPair(*(checked(built_library, model, graph) for graph in graphs))
    return built


def _prepared(model: Path) -> Path:
    """Writes the model as `tfcarve transform --preset mobile --fuse` does; returns the file."""
    file = model.with_suffix(".prepared.pb")
    steps = [*presets.preset("mobile"), *presets.FUSE]
    with Evaluator(model.stat().st_size) as evaluator:
        graph = graph_file.read_graph(model)
        ends = [library.INPUT], [library.OUTPUT]
        graph_file.write_graph(file, pipeline.transform(graph, steps, *ends, evaluator))
    return file


def checked(built: Library, model: CachedModel, graph: Path) -> Carved:
    """Aligns the graph's constants and runs it once; raises NestedError if it does not run."""
    mapped = graph.with_suffix(".mapped.pb")
    data = mapped_file.mapped(graph)
    write_pieces(mapped, (piece.data for piece in aligned_graph.aligned(data)))
    answer, _ = library.run_once(built, replace(model, model=mapped))
    if answer.output is None:
        raise NestedError(f"{built.platform}: {mapped.name} did not run: {answer.message}")
    difference = library.largest_difference(answer.output, np.load(model.output))
    return Carved(built.benchmark, model, graph, mapped, difference)
