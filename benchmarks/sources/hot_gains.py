"""The speedup of a group of hot sources: a graph that mostly uses the group, compiled for size and for speed."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import measure
from benchmarks.sources import relink
from demo.library import INPUT, OUTPUT
from tfcarve.app.workspace import Workspace
from tfcarve.benchmark import program
from tfcarve.benchmark.task import Task
from tfcarve.emit import hot
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size.link_line import LinkLine

# The platform on which time is measured: that of the host.
PLATFORM = "linux_x86_64"
ROUNDS = 8
_RUNS = 30
_PROGRAMS = "@tfcarve//tools/runtime/programs"
_PROGRAM = ("benchmark_model_main", "benchmark", "open_session", "npy", "program")


@dataclass(frozen=True)
class Gain:
    """CPU milliseconds of one run on one thread, and the bytes that the group adds to the library's code."""

    group: str
    graph: str
    text: int
    cold_ms: float
    hot_ms: float


def _products(tf: Any, x: Any) -> Any:
    rows = tf.cast(x, tf.float64)
    return tf.cast(tf.linalg.matmul(rows, rows, transpose_b=True), tf.float32)


def _convolutions(tf: Any, x: Any) -> Any:
    weights = tf.reshape(tf.linspace(-1.0, 1.0, 27 * 8 * 8), [3, 3, 3, 8, 8])
    return tf.nn.conv3d(x, weights, [1, 1, 1, 1, 1], "SAME")


def _element_wise(tf: Any, x: Any) -> Any:
    return tf.math.sin(tf.math.log1p(tf.math.sqrt(x)))


def _fourier_transforms(tf: Any, x: Any) -> Any:
    return tf.abs(tf.signal.rfft(x))


def _quantized(tf: Any, x: Any) -> Any:
    numbers, low, high = tf.quantization.quantize(x, 0.0, 1.0, tf.quint8)
    return tf.quantization.dequantize(numbers, low, high)


@dataclass(frozen=True)
class _Graph:
    """A graph for a group: its description, the shape of its input, and a function that builds its output."""

    description: str
    shape: tuple[int, ...]
    make: Callable[[Any, Any], Any]


_GRAPHS: Mapping[str, _Graph] = {
    "matrix products": _Graph("float64, 256 x 256 x 256", (256, 256), _products),
    "convolutions": _Graph("Conv3D, 3 x 3 x 3, 8 channels", (1, 16, 32, 32, 8), _convolutions),
    "reductions": _Graph(
        "Max over the middle of 64 x 256 x 64",
        (64, 256, 64),
        lambda tf, x: tf.reduce_max(x, axis=1),
    ),
    "element-wise functions": _Graph("Sqrt, Log1p, Sin of 2^18", (512, 512), _element_wise),
    "Fourier transforms": _Graph("RFFT of 64 x 512", (64, 512), _fourier_transforms),
    "resizing": _Graph(
        "ResizeBilinear, 128 x 128 x 8 to 256 x 256",
        (1, 128, 128, 8),
        lambda tf, x: tf.image.resize(x, [256, 256]),
    ),
    "transposition": _Graph(
        "NHWC to NCHW, 128 x 128 x 64",
        (1, 128, 128, 64),
        lambda tf, x: tf.transpose(x, [0, 3, 1, 2]),
    ),
    "quantized arithmetic": _Graph("QuantizeV2, Dequantize of 2^18", (512, 512), _quantized),
}


def graphs(folder: Path) -> dict[str, Path]:
    """Writes a frozen graph for each group of hot_sources.yaml; returns the files by group name."""
    import tensorflow as tf  # slow to import

    files = {}
    for group in hot.groups(known.release()):
        one = _GRAPHS[group.name]
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, one.shape, name=INPUT)
            tf.identity(one.make(tf, x), name=OUTPUT)
        file = folder / f"{group.name.replace(' ', '_')}.pb"
        file.write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))
        files[group.name] = file
    return files


def _program(workspace: Workspace, library: Path) -> Path:
    """Links benchmark_model with a shared library, which it loads from its own folder."""
    build = workspace.build([f"{_PROGRAMS}:{name}" for name in _PROGRAM])
    # Bazel reports the targets by canonical names, which depend on its version.
    archives = [f for files in build.outputs.values() for f in files if f.suffix == ".a"]
    linked = library.with_name("benchmark_model")
    group: list[str | Path] = ["-Wl,--start-group", *archives, "-Wl,--end-group"]
    subprocess.run(
        ["g++", "-o", linked, *group, library, "-Wl,-rpath,$ORIGIN", "-pthread"], check=True
    )
    return linked


def _milliseconds(command: Path, group: str, graph: Path) -> float:
    shape = "x".join(str(d) for d in _GRAPHS[group].shape)
    task = Task(
        model=graph,
        inputs=(),
        random_inputs=((INPUT, f"float32:{shape}"),),
        outputs=(OUTPUT,),
        threads=1,
        warmup=2,
        runs=_RUNS,
        seconds=None,
        traced_runs=0,
    )
    return program.run([str(command)], task).cpu_ms.min


def gain(
    workspace: Workspace,
    built: LinkLine,
    selection: Selection,
    group: str,
    graph: Path,
    objects: Path,
) -> Gain:
    """Links a graph's library with the group compiled for size and for speed, and runs both in turns.

    Args:
      workspace: the workspace of `built`.
      built: the commands that compile and link the library.
      selection: of the graph.
      group: the name of the group.
      graph: the file of the graph.
      objects: the folder for compiled objects.

    Raises what program.run does.
    """
    sources = list(relink.sources(built, selection, objects))
    with tempfile.TemporaryDirectory() as scratch:
        texts, programs = [], []
        for name, fast in (("cold", frozenset[str]()), ("hot", frozenset([group]))):
            folder = Path(scratch, name)
            folder.mkdir()
            library, sizes = relink.linked(built, sources, fast, folder)
            texts.append(sizes.text)
            programs.append(_program(workspace, library))
        times = [[_milliseconds(p, group, graph) for p in programs] for _ in range(ROUNDS)]
    for_size, for_speed = (min(column) for column in zip(*times, strict=True))
    return Gain(group, _GRAPHS[group].description, texts[1] - texts[0], for_size, for_speed)


def table(gains: Sequence[Gain]) -> str:
    """Returns the gains as Markdown."""
    return measure.markdown(
        ["Group", "Graph", "Bytes", "for size, ms", "for speed, ms", "speedup"],
        [
            [
                one.group,
                one.graph,
                f"{one.text:+,}",
                f"{one.cold_ms:.3f}",
                f"{one.hot_ms:.3f}",
                f"{one.cold_ms / one.hot_ms:.2f}",
            ]
            for one in gains
        ],
    )
