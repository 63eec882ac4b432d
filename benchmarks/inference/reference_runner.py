"""Runs a model in TensorFlow or TensorFlow Lite, one round per request.

    python -m benchmarks.inference.reference_runner tensorflow MODEL.pb INPUT.npy EXPECTED.npy --threads 1
    python -m benchmarks.inference.reference_runner lite MODEL.tflite INPUT.npy EXPECTED.npy --threads 1

Loads the model and runs it once. Writes a line of JSON with `anonymous_bytes_start`, the anonymous memory before
loading, and `difference`, the largest difference of an output from the expected one. For each line of JSON on standard
input, `{"warmup": W, "runs": R}`, it runs the model and writes one line: the report of benchmark_model. It ends with its
input. The process is kept between rounds because starting TensorFlow takes seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import tensorflow as tf

from demo.library import INPUT, OUTPUT, largest_difference
from tfcarve.benchmark.library_run import statistics_of
from tfcarve.benchmark.measurement import Measurement, Statistics
from tfcarve.benchmark.process_status import status_bytes

Array = np.ndarray[Any, np.dtype[Any]]
Run = Callable[[], Array]


def _tensorflow(model: Path, fed: Array, threads: int) -> Run:
    definition = tf.compat.v1.GraphDef()
    definition.ParseFromString(model.read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    settings = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads
    )
    session = tf.compat.v1.Session(graph=graph, config=settings)
    call = session.make_callable(f"{OUTPUT}:0", [f"{INPUT}:0"])
    return lambda: call(fed)


def _lite(model: Path, fed: Array, threads: int) -> Run:
    interpreter = tf.lite.Interpreter(str(model), num_threads=threads)
    interpreter.allocate_tensors()
    (source,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()

    def run() -> Array:
        interpreter.set_tensor(source["index"], fed)
        interpreter.invoke()
        return interpreter.get_tensor(result["index"])  # type: ignore[no-any-return]

    return run


_LOADERS = {"tensorflow": _tensorflow, "lite": _lite}


def timed(run: Run, runs: int) -> tuple[Statistics, Statistics]:
    """Runs `runs` times; returns the wall time and the CPU time of all threads, in milliseconds."""
    wall, cpu = [], []
    for _ in range(runs):
        started, used = time.perf_counter(), time.process_time()
        run()
        cpu.append((time.process_time() - used) * 1e3)
        wall.append((time.perf_counter() - started) * 1e3)
    return statistics_of(wall), statistics_of(cpu)


def _write_line(answer: object) -> None:
    print(msgspec.json.encode(answer).decode(), flush=True)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.inference.reference_runner", description=__doc__
    )
    parser.add_argument("kind", choices=sorted(_LOADERS))
    parser.add_argument("model", type=Path)
    parser.add_argument("input", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """Exit status 0."""
    arguments = _arguments(argv)
    fed, expected = np.load(arguments.input), np.load(arguments.expected)
    anonymous_start, started = status_bytes("RssAnon"), time.perf_counter()
    run = _LOADERS[arguments.kind](arguments.model, fed, arguments.threads)
    loaded, anonymous_loaded = time.perf_counter(), status_bytes("RssAnon")
    output = run()
    first = time.perf_counter() - loaded
    difference = float(largest_difference(output, expected))
    _write_line({"anonymous_bytes_start": anonymous_start, "difference": difference})
    for line in sys.stdin:
        request = json.loads(line)
        for _ in range(request["warmup"]):
            run()
        wall, cpu = timed(run, request["runs"])
        _write_line(
            Measurement(
                version=1,
                model=str(arguments.model),
                threads=arguments.threads,
                warmup=request["warmup"],
                runs=request["runs"],
                traced_runs=0,
                load_ms=(loaded - started) * 1e3,
                first_ms=first * 1e3,
                wall_ms=wall,
                cpu_ms=cpu,
                peak_bytes=status_bytes("VmHWM"),
                anonymous_bytes_loaded=anonymous_loaded,
                anonymous_bytes=status_bytes("RssAnon"),
                nodes=(),
                ops=(),
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
