"""Saves models with the TensorFlow of this environment, and prepares them with tfcarve.

    python -m preparing.prepare FOLDER

prints a JSON object: the versions of TensorFlow and Keras, and for each step of each model the largest difference from the outputs of
the model itself. A step that fails ends the program with its message.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tfcarve.cli import main as tfcarve

_INPUT, _OUTPUT = "image", "digit"


def _model() -> Any:
    """A model with a loop, a normalization, and weights that differ."""
    keras.utils.set_random_seed(7)
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((12, 12, 2), name=_INPUT),
            layers.Conv2D(4, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Reshape((10, 40)),
            layers.LSTM(5),
            layers.Dense(3, "softmax", name=_OUTPUT),
        ]
    )


def _save(folder: Path) -> tuple[dict[str, Path], Any, Any]:
    """Writes the model as a Keras file and as a SavedModel; returns both, an input and the output for it."""
    model = _model()
    image = np.random.default_rng(3).normal(size=(2, 12, 12, 2)).astype(np.float32)
    expected = np.asarray(model(image, training=False))
    model.save(folder / "model.keras")
    spec = tf.TensorSpec([None, 12, 12, 2], tf.float32, name=_INPUT)

    @tf.function(input_signature=[spec])
    def serve(image: tf.Tensor) -> dict[str, tf.Tensor]:
        return {_OUTPUT: model(image, training=False)}

    module = tf.Module()
    # Those of Keras 3 hold a variable of TensorFlow.
    module.variables_of_model = [
        each if isinstance(each, tf.Variable) else each.value for each in model.weights
    ]
    tf.saved_model.save(module, str(folder / "saved"), signatures=serve)
    return {"keras": folder / "model.keras", "saved": folder / "saved"}, image, expected


def _run(*words: str | Path) -> None:
    errors = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        status = tfcarve([str(word) for word in words])
    if status:
        sys.exit(f"tfcarve {' '.join(map(str, words))}: {errors.getvalue()}")


def _difference(graph: Path, image: Any, expected: Any) -> float:
    definition = tf.compat.v1.GraphDef.FromString(graph.read_bytes())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(definition, name="")
        found = session.run(f"{_OUTPUT}:0", {f"{_INPUT}:0": image})
    return float(np.max(np.abs(found - expected)))


def _prepare(source: Path, folder: Path, image: Any, expected: Any) -> dict[str, float]:
    """Runs the commands that prepare a model; returns the largest difference after each."""
    folder.mkdir()
    frozen, small, int8 = (folder / f"{name}.pb" for name in ("frozen", "mobile", "int8"))
    samples, fed, golden = folder / "samples.npz", folder / "image.npy", folder / "digit.npy"
    np.savez(samples, **{_INPUT: image[np.newaxis]})
    np.save(fed, image)
    _run("inspect", source)
    _run("freeze", source, "-o", frozen)
    _run("transform", frozen, "-o", small, "--preset", "mobile", "--fuse")
    _run("compare", source, small, "--data", samples)
    _run("golden", source, f"--input={_INPUT}={fed}", f"--output={_OUTPUT}={golden}")
    _run("calibrate", frozen, "-o", folder / "ranges.json", "--data", samples)
    _run("transform", frozen, "-o", int8, "--preset", "int8", "--ranges", folder / "ranges.json")
    found = {graph.stem: _difference(graph, image, expected) for graph in (frozen, small, int8)}
    return found | {"golden": float(np.max(np.abs(np.load(golden) - expected)))}


def main(argument: str) -> None:
    """Prepares the models in a folder."""
    folder = Path(argument)
    sources, image, expected = _save(folder)
    found = {
        name: _prepare(source, folder / f"{name}_prepared", image, expected)
        for name, source in sources.items()
    }
    versions = {"tensorflow": tf.__version__, "keras": keras.__version__}
    print(json.dumps(versions | {"differences": found}))


if __name__ == "__main__":
    main(*sys.argv[1:])
