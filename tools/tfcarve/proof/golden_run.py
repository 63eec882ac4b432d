"""Runs a frozen graph in full TensorFlow; tfcarve.full_tensorflow runs this program in a separate process.

usage: golden_run.py MODEL FOLDER [--op-library=FILE.so]... INPUT=FILE.npy... -- OUTPUT...
Writes FOLDER/0.npy and so on, one for each OUTPUT. Exit status: 0 done; 1 TensorFlow does not run the graph; 2 a .npy file cannot be
read or written. The last line on standard error says why.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

from tfcarve import full_tensorflow, op_library_loading
from tfcarve.errors import InvalidInput
from tfcarve.models import graph_text
from tfcarve.models.text_format import for_protobuf
from tfcarve.proof import npy_arrays

_LIBRARY = "--op-library="


def main(argv: list[str]) -> None:
    """Runs the graph once."""
    model, folder, *words = argv
    before, outputs = words[: words.index("--")], words[words.index("--") + 1 :]
    libraries = [w.removeprefix(_LIBRARY) for w in before if w.startswith(_LIBRARY)]
    op_library_loading.load(libraries)
    inputs = before[len(libraries) :]
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
        feeds[_tensor(name)] = npy_arrays.read(Path(file))
    with tf.compat.v1.Session(graph=graph) as session:
        arrays = session.run([_tensor(name) for name in outputs], feeds)
    for number, (name, array) in enumerate(zip(outputs, arrays, strict=True)):
        npy_arrays.write(Path(folder, f"{number}.npy"), f"the output {name!r}", np.asarray(array))


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except npy_arrays.ArrayError as error:
        full_tensorflow.report(str(error))
        sys.exit(2)
    except tf.errors.OpError as error:
        # TensorFlow's own message: the session adds stack traces of the code that imported the graph.
        original = error.__context__
        message = original.message if isinstance(original, tf.errors.OpError) else error.message
        full_tensorflow.report(message)
        sys.exit(1)
    except (InvalidInput, ValueError, TypeError, KeyError) as error:
        full_tensorflow.report(str(error))
        sys.exit(1)
