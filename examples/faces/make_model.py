"""Makes saved_model/, which finds faces in photographs: make_model.py FACTORY.py WEIGHTS.npy PHOTOGRAPH...

The package mtcnn contains the first two files: the layers of three networks, and their weights. Source of the method: Kaipeng Zhang
et al., "Joint Face Detection and Alignment using Multi-task Cascaded Convolutional Networks" (2016).

The model takes the content of a JPEG or PNG file. `boxes`, float32 [n, 4], has the left, upper, right and lower edge of each face in
pixels, and `scores`, float32 [n], the probability of each.
"""

from __future__ import annotations

import sys
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

# The first network looks for faces from 24 to 400 pixels wide. Each scale is 0.709 times the scale before it.
_SMALLEST, _LARGEST, _STEP = 24, 400, 0.709
# The first network looks at squares of this size, two pixels apart.
_CELL, _STRIDE = 12, 2
_SCORES = (0.6, 0.7, 0.7)
_OVERLAPS = (0.5, 0.7, 0.7, 0.3)
_MOST = 200


def _networks(factory: Path, weights: Path) -> tuple[Any, Any, Any]:
    """Returns the three networks of the package, whose images have exchanged axes."""
    spec = util.spec_from_file_location("factory", factory)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    p, r, o = module.NetworkFactory().build_P_R_O_nets_from_file(str(weights))
    return p, r, o


def _distinct(boxes: Any, scores: Any, overlap: float, *others: Any) -> list[Any]:
    """Removes boxes that overlap a better one; returns the boxes, their scores, and the rows of other tensors."""
    kept = tf.image.non_max_suppression(boxes, scores, _MOST, overlap)
    return [tf.gather(each, kept) for each in (boxes, scores, *others)]


def _moved(boxes: Any, offsets: Any) -> Any:
    """Moves the edges of boxes by shares of their sizes."""
    sizes = boxes[:, 2:] - boxes[:, :2]
    return boxes + offsets * tf.tile(sizes, [1, 2])


def _squares(boxes: Any) -> Any:
    """Returns squares with the centers of boxes."""
    half = tf.reduce_max(boxes[:, 2:] - boxes[:, :2], axis=1, keepdims=True) / 2
    center = (boxes[:, :2] + boxes[:, 2:]) / 2
    return tf.concat([center - half, center + half], 1)


class Detector(tf.Module):
    """The networks, and the selection of boxes between them."""

    def __init__(self, networks: tuple[Any, Any, Any]) -> None:
        super().__init__()
        self._p, self._r, self._o = networks

    @tf.function(input_signature=[tf.TensorSpec([], tf.string, name="photograph")])
    def __call__(self, photograph: Any) -> dict[str, Any]:
        """Returns the boxes and scores of faces."""
        pixels = tf.io.decode_image(photograph, channels=3, expand_animations=False)
        pixels = tf.ensure_shape(pixels, [None, None, 3])
        # The first axis is x, as the networks expect it.
        image = tf.transpose((tf.cast(pixels, tf.float32) - 127.5) / 128, [1, 0, 2])[tf.newaxis]
        boxes, scores = self._candidates(image)
        boxes, scores = self._checked(image, boxes, self._r, 24, 1)
        boxes, scores, *_ = _distinct(boxes, scores, _OVERLAPS[2])
        boxes, scores = self._checked(image, _squares(boxes), self._o, 48, 2)
        boxes, scores = _distinct(boxes, scores, _OVERLAPS[3])
        return {"boxes": boxes, "scores": scores}

    def _candidates(self, image: Any) -> tuple[Any, Any]:
        """Squares in which the first network, at several scales, sees a face."""
        found = []
        side = float(_SMALLEST)
        while side < _LARGEST:
            found.append(self._at_scale(image, _CELL / side))
            side /= _STEP
        boxes, scores, offsets = (tf.concat(each, 0) for each in zip(*found, strict=True))
        boxes, scores, offsets = _distinct(boxes, scores, _OVERLAPS[1], offsets)
        return _squares(_moved(boxes, offsets)), scores

    def _at_scale(self, image: Any, scale: float) -> list[Any]:
        size = tf.cast(tf.shape(image)[1:3], tf.float32) * scale
        size = tf.maximum(tf.cast(tf.math.ceil(size), tf.int32), _CELL)
        offsets, probability = self._p(tf.image.resize(image, size))
        score = probability[0, :, :, 1]
        places = tf.where(score >= _SCORES[0])
        corner = tf.cast(places, tf.float32) * _STRIDE + 1
        boxes = tf.concat([corner, corner + _CELL - 1], 1) / scale
        chosen = (tf.gather_nd(score, places), tf.gather_nd(offsets[0], places))
        return _distinct(boxes, chosen[0], _OVERLAPS[0], chosen[1])

    def _checked(
        self, image: Any, boxes: Any, network: Any, side: int, stage: int
    ) -> tuple[Any, Any]:
        """The boxes in which a network sees a face, with edges that it corrects."""
        last = tf.cast(tf.tile(tf.shape(image)[1:3], [2]) - 1, tf.float32)
        # One more box, because TensorFlow's optimizer of graphs does not expect batches of no image.
        padded = tf.pad(boxes, [[0, 1], [0, 0]]) / last
        crops = tf.image.crop_and_resize(
            image, padded, tf.zeros_like(padded[:, 0], tf.int32), [side, side]
        )
        offsets, *_, probability = network(crops)
        offsets, score = offsets[:-1], probability[:-1, 1]
        kept = tf.where(score >= _SCORES[stage])[:, 0]
        moved = _moved(tf.gather(boxes, kept), tf.gather(offsets, kept))
        return moved, tf.gather(score, kept)


def main() -> None:
    """Writes the SavedModel, and the photographs as samples, to the working directory."""
    factory, weights, *photographs = map(Path, sys.argv[1:])
    detector = Detector(_networks(factory, weights))
    tf.saved_model.save(detector, "saved_model", signatures=detector.__call__)
    np.savez("samples.npz", photograph=np.array([file.read_bytes() for file in photographs]))


if __name__ == "__main__":
    main()
