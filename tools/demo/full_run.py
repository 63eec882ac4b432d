"""Runs a frozen graph in full TensorFlow on one thread and prints the time as JSON.

python -m demo.full_run MODEL.pb INPUT.npy WARMUP RUNS
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf

from demo.library import INPUT, OUTPUT


def main(argv: Sequence[str]) -> int:
    """Prints the least processor time of all counted runs, in milliseconds. Exit status 0."""
    model, array = Path(argv[0]), np.load(argv[1])
    warmup, runs = int(argv[2]), int(argv[3])
    definition = tf.compat.v1.GraphDef.FromString(model.read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    settings = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
    )
    times = []
    with tf.compat.v1.Session(graph=graph, config=settings) as session:
        run = session.make_callable(f"{OUTPUT}:0", [f"{INPUT}:0"])
        for _ in range(warmup + runs):
            started = time.process_time()
            run(array)
            times.append((time.process_time() - started) * 1e3)
    print(json.dumps({"cpu_ms": {"min": min(times[warmup:])}}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
