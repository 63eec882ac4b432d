"""Saves models of Keras 3 and of TensorFlow, each with an input and its own outputs.

    python -m keras3.save FOLDER [NAME ...]

writes NAME.keras for each model of keras3.architectures, a SavedModel NAME for each of keras3.modules, and NAME.npz. The
arrays are `input:TENSOR` and `output:TENSOR`. An output of a Keras model has the name of its layer, with a number if the layer
has several.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from keras3.architectures import MODELS
from keras3.modules import MODULES

# The ranges of the parameters of normalizations; with their initial values, zeros and ones, a wrong one would look right.
_RANGES = {
    "gamma": (0.7, 1.3),
    "beta": (-0.3, 0.3),
    "moving_mean": (-0.3, 0.3),
    "moving_variance": (0.7, 1.3),
}


def _outputs(model: Any, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    layers = [model.layers[-1].name] if isinstance(model, keras.Sequential) else model.output_names
    names = (
        f"{name}_{n}" if (n := layers[:i].count(name)) else name for i, name in enumerate(layers)
    )
    return dict(zip(names, keras.tree.flatten(value), strict=True))


def save_module(name: str, folder: Path) -> None:
    """Writes one model of TensorFlow."""
    module, fed = MODULES[name](np.random.default_rng(zlib.crc32(name.encode())))
    outputs = module.serve(**{key: tf.constant(value) for key, value in fed.items()})
    tf.saved_model.save(module, str(folder / name), {"serving_default": module.serve})
    arrays = {f"input:{key}": value for key, value in fed.items()}
    arrays |= {f"output:{key}": value.numpy() for key, value in outputs.items()}
    np.savez(folder / f"{name}.npz", **arrays)


def save(name: str, folder: Path) -> None:
    """Writes one model of Keras."""
    seed = zlib.crc32(name.encode())
    keras.utils.set_random_seed(seed)
    drawn = np.random.default_rng(seed)
    saved = MODELS[name]
    model = saved.build()
    for weight in model.weights:
        if weight.name in _RANGES:
            weight.assign(drawn.uniform(*_RANGES[weight.name], weight.shape))
    fed = [draw(drawn) for draw in saved.draw]
    tensors = [keras.ops.convert_to_tensor(array) for array in fed]
    value = model(tensors if len(tensors) > 1 else tensors[0], training=False)
    model.save(folder / f"{name}.keras")
    # The tensor of an input has the name of its layer only after the model is loaded.
    loaded = keras.saving.load_model(folder / f"{name}.keras", compile=False)
    arrays = {
        f"input:{tensor.name}": array.astype(str) if array.dtype == object else array
        for tensor, array in zip(loaded.inputs, fed, strict=True)
    }
    arrays |= {f"output:{key}": np.asarray(v) for key, v in _outputs(model, value).items()}
    np.savez(folder / f"{name}.npz", **arrays)


def main(argv: Sequence[str]) -> None:
    """Writes the named models, or all."""
    folder = Path(argv[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name in argv[1:] or (*MODELS, *MODULES):
        (save_module if name in MODULES else save)(name, folder)


if __name__ == "__main__":
    main(sys.argv[1:])
