"""Runs a Keras file or a SavedModel in full TensorFlow, without tfcarve.

    python -m public.reference SOURCE INPUT.npy FOLDER

Writes FOLDER/NAME.npy for each output of the signature `serving_default` or of the Keras model.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf


def _outputs(source: Path, array: Any) -> Mapping[str, Any]:
    if source.is_dir():
        signature = tf.saved_model.load(str(source)).signatures["serving_default"]
        (argument,) = signature.structured_input_signature[1]
        outputs: Mapping[str, Any] = signature(**{argument: tf.constant(array)})
        return outputs
    model = tf.keras.models.load_model(source, compile=False)
    results = model(array, training=False)
    if len(model.output_names) == 1:
        results = [results]
    return dict(zip(model.output_names, results, strict=True))


def main(source: str, fed: str, folder: str) -> None:
    """Writes the outputs."""
    for name, result in _outputs(Path(source), np.load(fed)).items():
        array = result.numpy()
        np.save(Path(folder, f"{name}.npy"), array.astype("S") if array.dtype == object else array)


if __name__ == "__main__":
    main(*sys.argv[1:])
