"""Time and size of models with quantized nodes, beside the same models as floats.

    PYTHONPATH=tools:tests:. python -m benchmarks.inference.quantize_speed

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. Writes QUANTIZED.md: CPU time on
x86-64 with each instruction set, one thread, in turns; the slowest ops; the bytes of the model and of the library; and
instructions on ARM, counted under qemu. Takes ten minutes if the libraries' core is cached.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks import measure, page, workspaces
from benchmarks.inference import carved
from benchmarks.inference.carved import Carved
from bootstrap.console import BootstrapError
from demo import cached_models, library
from demo.cached_models import CachedModel
from demo.library import Library
from demo.nested import NestedError
from e2e.sessions import cpu_features
from tfcarve import cli
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.benchmark import emulated, program
from tfcarve.benchmark.measurement import Op
from tfcarve.errors import TfcarveError
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.pipeline import pipeline, presets

_HERE = Path(__file__).parent
MODELS = ("inception_v3", "mobilenet_v2", "resnet_50")
_PACKAGE = "quantize_speed"
_BUILD_FILE = _HERE / "quantize_speed.BUILD"
_TIMED = "linux_x86_64"
_EMULATED = {"linux_arm64": "aarch64", "linux_armv7": "armv7"}
_ROUNDS, _RUNS = 7, 3
_SLOWEST = 12

# The graphs of a model.
GRAPHS = ("float", "bytes")


@dataclass(frozen=True)
class Timed:
    """A graph in its library on x86-64.

    Attributes:
      model: bytes of the graph.
      library: bytes of the shared library.
      difference: of the output from full TensorFlow's for the float model.
      ms: CPU milliseconds of a run, by instruction set.
      ops: the ops of the best instruction set, the slowest first.
    """

    model: int
    library: int
    difference: float
    ms: Mapping[str, float]
    ops: Sequence[Op]


def _ranges(folder: Path, model: CachedModel) -> Path:
    """Measures the ranges of a model on its input; returns the file."""
    data, ranges = folder / "samples.npz", folder / "ranges.json"
    np.savez(data, **{library.INPUT: np.load(model.input)})
    words = ["calibrate", model.model, "--data", data, "-o", ranges]
    ends = ["--inputs", library.INPUT, "--outputs", library.OUTPUT]
    if cli.main([*map(str, words), *ends]) != 0:
        raise TfcarveError(f"{model.model}: cannot be calibrated")
    return ranges


def _prepared(folder: Path, name: str, kind: str) -> Path:
    """Writes a graph of a model; returns the file."""
    cached = cached_models.load(name)
    model = cached.model
    file = folder / f"{name}_{kind}.pb"
    if kind == "float":
        steps = [*presets.preset("mobile"), *presets.FUSE]
    else:
        steps = presets.preset("int8", ranges=_ranges(folder, cached))
    with Evaluator(model.stat().st_size) as evaluator:
        graph = graph_file.read_graph(model)
        ends = [library.INPUT], [library.OUTPUT]
        graph_file.write_graph(file, pipeline.transform(graph, steps, *ends, evaluator))
    return file


def _built(
    workspace: Workspace, platform: str, name: str, files: Mapping[str, Path]
) -> dict[str, tuple[Library, Carved]]:
    """Builds the library of each graph of a model, and runs it once."""
    built = {}
    for kind, file in files.items():
        target = f"//{_PACKAGE}:{platform}_{name}_{kind}"
        one = library.build(workspace, target, platform, progress=sys.stderr.isatty())
        built[kind] = one, carved.checked(one, cached_models.load(name), file)
    return built


@contextmanager
def _selected(path: str) -> Iterator[None]:
    """Selects the instruction set of programs that are started."""
    os.environ["TFCARVE_CPU"] = path
    try:
        yield
    finally:
        del os.environ["TFCARVE_CPU"]


def _timed(built: Mapping[str, tuple[Library, Carved]]) -> dict[str, Timed]:
    ms: dict[str, dict[str, float]] = {kind: {} for kind in built}
    for path in cpu_features.supported():
        with _selected(path):
            for _ in range(_ROUNDS):
                for kind, (_, run) in built.items():
                    cpu = run.measure(1, _RUNS).cpu_ms.min
                    ms[kind][path] = min(cpu, ms[kind].get(path, cpu))
    timed = {}
    for kind, (one, run) in built.items():
        traced = program.run([str(run.program)], replace(run.task(1, 1), traced_runs=5))
        size = one.shared.stat().st_size
        timed[kind] = Timed(
            run.graph.stat().st_size, size, run.difference, ms[kind], traced.ops[:_SLOWEST]
        )
    return timed


def _instructions(built: Mapping[str, tuple[Library, Carved]], cpu: str) -> dict[str, int]:
    return {
        kind: emulated.count(cpu, run.program, run.task(1, 0)).run
        for kind, (_, run) in built.items()
    }


def _log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _compared(values: Mapping[str, float], form: str) -> list[str]:
    """Returns the values of both graphs in a format, and their ratio."""
    one, other = values["float"], values["bytes"]
    return [format(one, form), format(other, form), f"{other / one:.2f}"]


def report(
    timed: Mapping[str, Mapping[str, Timed]],
    counted: Mapping[tuple[str, str], Mapping[str, int]],
    machine: str,
) -> str:
    """Returns the page.

    Args:
      timed: for each model, its graphs on x86-64.
      counted: for each model and platform, the instructions of its graphs.
      machine: from measure.machine().
    """
    command = "PYTHONPATH=tools:tests:. python -m benchmarks.inference.quantize_speed"
    conditions = f"One thread, CPU milliseconds of a run, the minimum of {_ROUNDS} rounds in turns."
    lines = [page.head("Models with quantized nodes", command, machine, conditions)]
    lines += [
        "float: `tfcarve transform --preset mobile --fuse`. bytes: `--preset int8` with the ranges of `tfcarve calibrate`.",
        "bytes / float below 1: the quantized model is faster.",
        "",
    ]
    rows = [
        [model, path, *_compared({kind: one.ms[path] for kind, one in kinds.items()}, ".1f")]
        for model, kinds in timed.items()
        for path in kinds["float"].ms
    ]
    lines += [measure.markdown(("model", "CPU", "float", "bytes", "bytes / float"), rows), ""]
    rows = [
        [model, kind, f"{one.model:,}", f"{one.library:,}", f"{one.difference:.1e}"]
        for model, kinds in timed.items()
        for kind, one in kinds.items()
    ]
    head = ("model", "graph", "bytes of the graph", "bytes of the library", "difference")
    lines += [measure.markdown(head, rows), ""]
    if counted:
        rows = [
            [model, platform, *_compared(kinds, ",")]
            for (model, platform), kinds in counted.items()
        ]
        lines += [
            "Instructions of a run under qemu, whose arm64 CPU has dot products:",
            "",
            measure.markdown(("model", "platform", "float", "bytes", "bytes / float"), rows),
            "",
        ]
    for model, kinds in timed.items():
        rows = [[op.op, f"{op.nodes}", f"{op.ms:.2f}"] for op in kinds["bytes"].ops]
        lines += [
            f"The slowest ops of {model} with quantized nodes, with the best instruction set:",
            "",
            measure.markdown(("op", "nodes", "ms"), rows),
            "",
        ]
    return "\n".join(lines)


def _measured(names: Sequence[str], platforms: Sequence[str]) -> str:
    machine = measure.machine()
    timed: dict[str, dict[str, Timed]] = {}
    counted: dict[tuple[str, str], dict[str, int]] = {}
    with workspaces.opened("speed") as workspace:
        workspace.place(_PACKAGE, {"BUILD": _BUILD_FILE}, "BUILD")
        folder = workspace.folder / _PACKAGE
        graphs = {name: {kind: _prepared(folder, name, kind) for kind in GRAPHS} for name in names}
        for name, files in graphs.items():
            for platform in platforms:
                built = _built(workspace, platform, name, files)
                if platform == _TIMED:
                    timed[name] = _timed(built)
                    _log(f"{name}: {timed[name]}")
                else:
                    counted[name, platform] = _instructions(built, _EMULATED[platform])
                    _log(f"{name}, {platform}: {counted[name, platform]}")
    return report(timed, counted, machine)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 if a library cannot run its model; 2 if something cannot be built or run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.inference.quantize_speed", description=__doc__
    )
    for option, values in (("model", MODELS), ("platform", (_TIMED, *_EMULATED))):
        parser.add_argument(
            f"--{option}",
            action="append",
            choices=values,
            dest=f"{option}s",
            help=f"measure only this {option}; may be repeated",
        )
    parser.add_argument(
        "-o", "--output", type=Path, default=page.RESULTS / "QUANTIZED.md", metavar="FILE"
    )
    arguments = parser.parse_args(argv)
    try:
        text = _measured(arguments.models or MODELS, arguments.platforms or (_TIMED, *_EMULATED))
    except (BootstrapError, BuildError, NestedError, TfcarveError) as error:
        _log(f"quantize_speed: {error}")
        return error.exit_status if isinstance(error, TfcarveError) else 2
    except subprocess.CalledProcessError as error:
        _log(f"quantize_speed: {error}")
        return 2
    arguments.output.write_text(text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
