"""Runs a frozen graph in full TensorFlow; tfcarve.full_tensorflow runs this program in a separate process.

usage: golden_run.py MODEL FOLDER INPUT=FILE.npy... -- OUTPUT...
Writes FOLDER/0.npy and so on, one for each OUTPUT.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

from tfcarve.models import graph_text
from tfcarve.models.text_format import for_protobuf


def main(argv: list[str]) -> None:
    """Runs the graph once."""
    model, folder, *words = argv
    inputs, outputs = words[: words.index("--")], words[words.index("--") + 1 :]
    definition = tf.compat.v1.GraphDef()
    if graph_text.has_name(Path(model)):
        text_format.Parse(for_protobuf(Path(model).read_bytes()), definition)
    else:
        definition.ParseFromString(Path(model).read_bytes())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    feeds = {}
    for word in inputs:
        name, _, file = word.partition("=")
        feeds[_tensor(name)] = np.load(file, allow_pickle=False)
    with tf.compat.v1.Session(graph=graph) as session:
        arrays = session.run([_tensor(name) for name in outputs], feeds)
    for number, array in enumerate(arrays):
        np.save(Path(folder, f"{number}.npy"), np.ascontiguousarray(array), allow_pickle=False)


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


if __name__ == "__main__":
    main(sys.argv[1:])
