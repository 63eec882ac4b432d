"""Makes saved_model/, a SavedModel that labels photographs: make_model.py CHECKPOINT.pth PHOTOGRAPH...

Its input is the content of a JPEG, PNG, GIF or BMP file, its output the probability of each label. The photographs are samples,
written to samples.npz: the build compares the prepared model with the SavedModel on them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import efficientnet_lite
import numpy as np
import tensorflow as tf
import torch_file

# As in the training: the middle of the photograph, without an eighth of its shorter side.
_MIDDLE = 0.875


class Labeler(tf.Module):
    """A classifier with the decoder of photographs."""

    def __init__(self, classifier: Any) -> None:
        super().__init__()
        self._classifier = classifier

    @tf.function(input_signature=[tf.TensorSpec([], tf.string, name="photograph")])
    def __call__(self, photograph: Any) -> dict[str, Any]:
        """Returns the probabilities, float32 [1000]."""
        pixels = tf.io.decode_image(photograph, channels=3, expand_animations=False)
        pixels = tf.ensure_shape(pixels, [None, None, 3])
        height, width = tf.unstack(tf.shape(pixels)[:2])
        side = tf.cast(tf.cast(tf.minimum(height, width), tf.float32) * _MIDDLE, tf.int32)
        begin = tf.stack([(height - side) // 2, (width - side) // 2, 0])
        middle = tf.slice(pixels, begin, tf.stack([side, side, 3]))
        size = [efficientnet_lite.SIZE] * 2
        scaled = tf.image.resize(tf.cast(middle, tf.float32)[tf.newaxis], size)
        return {"probabilities": self._classifier((scaled - 127.0) / 128.0)[0]}


def main() -> None:
    """Writes the SavedModel and the samples to the working directory."""
    checkpoint, *photographs = map(Path, sys.argv[1:])
    labeler = Labeler(efficientnet_lite.model(torch_file.read(checkpoint)))
    tf.saved_model.save(labeler, "saved_model", signatures=labeler.__call__)
    np.savez("samples.npz", photograph=np.array([file.read_bytes() for file in photographs]))


if __name__ == "__main__":
    main()
