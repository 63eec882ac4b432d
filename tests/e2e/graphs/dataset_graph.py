"""A graph with a tf.data pipeline: only TensorFlow's session runs its kernels."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from models import frozen

SIZE = 5


def graph() -> Any:
    """Returns a GraphDef: the elements of the input, SIZE floats, as slices that are batched again."""
    with tf.Graph().as_default() as made:
        fed = tf.compat.v1.placeholder(tf.float32, [SIZE], name=frozen.INPUT)
        rows, shapes = {"output_types": [tf.float32]}, {"output_shapes": [[None]]}
        slices = tf.raw_ops.TensorSliceDataset(components=[fed], output_shapes=[[]])
        batched = tf.raw_ops.BatchDatasetV2(
            input_dataset=slices, batch_size=SIZE, drop_remainder=True, **rows, **shapes
        )
        (element,) = tf.raw_ops.DatasetToSingleElement(dataset=batched, **rows, **shapes)
        tf.identity(element, name=frozen.OUTPUT)
    return made.as_graph_def()
