"""Runs a model in TensorFlow or TensorFlow Lite, a round whenever it is asked for one.

    python -m benchmarks.peer tensorflow MODEL.pb INPUT.npy EXPECTED.npy --threads 1
    python -m benchmarks.peer lite MODEL.tflite INPUT.npy EXPECTED.npy --threads 1

Loads the model and runs it once. Writes a line of JSON with `anonymous_bytes_start`, the anonymous memory before that, and
`difference`, the largest of an output from what is expected. For each line of JSON on standard input, `{"warmup": W,
"runs": R}`, it runs the model, and writes a line of the JSON that benchmark_model writes, until there are no more lines.
The process stays between rounds, for starting TensorFlow takes seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from demo.library import INPUT, OUTPUT, largest_difference

Array = np.ndarray[Any, np.dtype[Any]]
Run = Callable[[], Array]
_STATUS = Path("/proc/self/status")


def status_bytes(status: str, field: str) -> int:
    """Returns a field of a /proc/PID/status in bytes; ValueError where it has none."""
    found = re.search(rf"^{field}:\s+(\d+) kB$", status, re.MULTILINE)
    if found is None:
        raise ValueError(f"no {field} in the process's status")
    return int(found[1]) * 1024


def _status(field: str) -> int:
    return status_bytes(_STATUS.read_text(), field)


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
    (given,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()

    def run() -> Array:
        interpreter.set_tensor(given["index"], fed)
        interpreter.invoke()
        return interpreter.get_tensor(result["index"])  # type: ignore[no-any-return]

    return run


_LOADERS = {"tensorflow": _tensorflow, "lite": _lite}


def spread(times: Sequence[float]) -> dict[str, float]:
    """Returns a round's times in the form of benchmark_model: minimum, median, p95, mean, deviation."""
    ordered = sorted(times)
    return {
        "min": ordered[0],
        "median": statistics.median(ordered),
        "p95": ordered[-(-95 * len(ordered) // 100) - 1],
        "mean": statistics.fmean(ordered),
        "stddev": statistics.stdev(ordered) if len(ordered) > 1 else 0.0,
    }


def timed(run: Run, runs: int) -> dict[str, dict[str, float]]:
    """Runs `runs` times; returns the milliseconds of each run, on the wall and of all threads."""
    wall, cpu = [], []
    for _ in range(runs):
        started, used = time.perf_counter(), time.process_time()
        run()
        cpu.append((time.process_time() - used) * 1e3)
        wall.append((time.perf_counter() - started) * 1e3)
    return {"wall_ms": spread(wall), "cpu_ms": spread(cpu)}


def _say(answer: object) -> None:
    print(json.dumps(answer), flush=True)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peer", description=__doc__)
    parser.add_argument("kind", choices=sorted(_LOADERS))
    parser.add_argument("model", type=Path)
    parser.add_argument("input", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("--threads", type=int, required=True)
    return parser.parse_args(argv)


def main(argv: Sequence[str]) -> int:
    """Exit status 0."""
    asked = _arguments(argv)
    fed, expected = np.load(asked.input), np.load(asked.expected)
    at_start, started = _status("RssAnon"), time.perf_counter()
    run = _LOADERS[asked.kind](asked.model, fed, asked.threads)
    loaded, anonymous_loaded = time.perf_counter(), _status("RssAnon")
    output = run()
    first = time.perf_counter() - loaded
    _say({"anonymous_bytes_start": at_start, "difference": largest_difference(output, expected)})
    for line in sys.stdin:
        request = json.loads(line)
        for _ in range(request["warmup"]):
            run()
        times = timed(run, request["runs"])
        _say(
            {
                "version": 1,
                "model": str(asked.model),
                "threads": asked.threads,
                **request,
                "traced_runs": 0,
                "load_ms": (loaded - started) * 1e3,
                "first_ms": first * 1e3,
                **times,
                "peak_bytes": _status("VmHWM"),
                "anonymous_bytes_loaded": anonymous_loaded,
                "anonymous_bytes": _status("RssAnon"),
                "nodes": [],
                "ops": [],
            }
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
