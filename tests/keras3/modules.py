"""Models that TensorFlow saves as SavedModels, by name: detection post-processing, which apps take from TensorFlow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

# A module with a function `serve`, and its input for a generator.
Made = tuple[Any, dict[str, Any]]
_BOXES, _CLASSES, _KEPT = 40, 3, 8


def _boxes(rng: np.random.Generator) -> Any:
    """Returns boxes of which many overlap: y1, x1, y2, x2."""
    corners = rng.uniform(0, 0.6, (_BOXES, 2))
    sizes = rng.uniform(0.2, 0.4, (_BOXES, 2))
    return np.concatenate([corners, corners + sizes], axis=1).astype(np.float32)


class _Suppression(tf.Module):
    """Boxes of one image, chosen class by class."""

    @tf.function(input_signature=[
        tf.TensorSpec([_BOXES, 4], name="boxes"), tf.TensorSpec([_BOXES], name="scores"),
    ])  # fmt: skip
    def serve(self, boxes: Any, scores: Any) -> dict[str, Any]:
        chosen, kept = tf.image.non_max_suppression_with_scores(
            boxes, scores, _KEPT, 0.5, 0.2, soft_nms_sigma=0.3
        )
        return {"chosen": tf.gather(boxes, chosen), "kept": kept}


class _Combined(tf.Module):
    """Boxes of a batch of images, for all classes at once."""

    @tf.function(input_signature=[
        tf.TensorSpec([None, _BOXES, 1, 4], name="boxes"), tf.TensorSpec([None, _BOXES, _CLASSES], name="scores"),
    ])  # fmt: skip
    def serve(self, boxes: Any, scores: Any) -> dict[str, Any]:
        found = tf.image.combined_non_max_suppression(boxes, scores, 4, _KEPT, 0.5, 0.2)
        return found._asdict()


def nms(rng: np.random.Generator) -> Made:
    """Non-maximum suppression with soft scores."""
    return _Suppression(), {"boxes": _boxes(rng), "scores": rng.uniform(0, 1, _BOXES).astype("f4")}


def combined_nms(rng: np.random.Generator) -> Made:
    """Non-maximum suppression of two images and three classes."""
    boxes = np.stack([_boxes(rng), _boxes(rng)])[:, :, np.newaxis]
    scores = rng.uniform(0, 1, (2, _BOXES, _CLASSES)).astype("f4")
    return _Combined(), {"boxes": boxes, "scores": scores}


MODULES: dict[str, Callable[[np.random.Generator], Made]] = {
    "nms": nms,
    "combined_nms": combined_nms,
}
