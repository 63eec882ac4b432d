"""Shared by the model builders: tracing, freezing, and removing large weights."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

tf.get_logger().setLevel("ERROR")  # deprecated APIs are used on purpose

# Constants with more bytes than this are weights, whose values are removed: no kernel depends on them.
_MAX_CONSTANT = 4096
_ZERO = {
    tf.float32.as_datatype_enum: "float_val",
    tf.float64.as_datatype_enum: "double_val",
    tf.float16.as_datatype_enum: "half_val",
}


@dataclass(frozen=True)
class Saved:
    """A SavedModel to write, with variables, functions and signatures."""

    module: Any
    signatures: Any = None

    def write(self, folder: Path) -> None:
        """Writes saved_model.pb, without the variables' values: no kernel depends on them."""
        tf.saved_model.save(self.module, str(folder), signatures=self.signatures)
        for file in sorted(folder.rglob("*"), reverse=True):
            if file.is_dir():
                file.rmdir()
            elif file.name != "saved_model.pb":
                file.unlink()


# A GraphDef, or a SavedModel.
Builder = Callable[[], Any]
Builders = Mapping[str, Builder]


def floats(*shape: int | None) -> Any:
    """Returns the specification of a float32 tensor."""
    return tf.TensorSpec(shape, tf.float32)


def frozen(call: Callable[..., Any], *specs: Any, lower: bool = True) -> Any:
    """Returns the frozen GraphDef of a function, with lowered or functional control flow."""
    function = tf.function(call).get_concrete_function(*specs)
    converted = convert_variables_to_constants_v2(function, lower_control_flow=lower)
    return _without_weights(converted.graph.as_graph_def())


def network(model: Any, lower: bool = True) -> Any:
    """Returns the frozen GraphDef of a Keras model for inference."""
    shape = model.input_shape
    return frozen(lambda x: model(x, training=False), floats(1, *shape[1:]), lower=lower)


def graph_of(build: Callable[[], Any]) -> Any:
    """Returns the GraphDef that a function for TensorFlow 1 builds in the default graph."""
    with tf.Graph().as_default() as graph:
        build()
        return graph.as_graph_def()


def _without_weights(graph: Any) -> Any:
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    for node in (n for body in bodies for n in body if n.op == "Const"):
        value = node.attr["value"].tensor
        if len(value.tensor_content) > _MAX_CONSTANT and value.dtype in _ZERO:
            value.tensor_content = b""
            getattr(value, _ZERO[value.dtype]).append(0)
    return graph
