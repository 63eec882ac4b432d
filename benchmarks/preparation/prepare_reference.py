"""The steps of benchmarks.preparation.prepare that run full TensorFlow, each in a child process.

python -m benchmarks.preparation.prepare_reference optimize MODEL.pb MADE.pb  # by Grappler
python -m benchmarks.preparation.prepare_reference run MODEL.pb INPUT.npy OUTPUT.npy
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from tensorflow.python.grappler import tf_optimizer

from demo.library import INPUT, OUTPUT

# The optimizers that create no internal ops; remap does.
OPTIMIZERS = ("pruning", "constfold", "arithmetic", "dependency", "constfold", "dependency")


def _read(path: Path) -> Any:
    return tf.compat.v1.GraphDef.FromString(path.read_bytes())


def optimize(model: Path, made: Path) -> None:
    """Writes a graph after Grappler's optimizations for inference."""
    settings = tf.compat.v1.ConfigProto()
    rewrites = settings.graph_options.rewrite_options
    rewrites.optimizers.extend(OPTIMIZERS)
    rewrites.min_graph_nodes = -1
    rewrites.meta_optimizer_iterations = 2
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(_read(model), name="")
        meta = tf.compat.v1.train.export_meta_graph(graph=graph)
    # Grappler takes the fetched nodes from this collection.
    meta.collection_def["train_op"].node_list.value.append(OUTPUT)
    made.write_bytes(tf_optimizer.OptimizeGraph(settings, meta).SerializeToString())


def run(model: Path, fed: Path, output: Path) -> None:
    """Writes the output of a graph for an input, without optimizations."""
    settings = tf.compat.v1.ConfigProto()
    settings.graph_options.optimizer_options.opt_level = -1
    settings.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as graph, tf.compat.v1.Session(config=settings) as session:
        tf.import_graph_def(_read(model), name="")
        assert session.graph is graph
        np.save(output, session.run(f"{OUTPUT}:0", {f"{INPUT}:0": np.load(fed)}))


def main(argv: Sequence[str]) -> int:
    """Returns the exit status 0."""
    what, *files = argv
    programs: dict[str, Callable[..., None]] = {"optimize": optimize, "run": run}
    programs[what](*map(Path, files))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
