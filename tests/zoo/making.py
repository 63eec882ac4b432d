"""What the makers of models share: tracing, freezing, and leaving out what is heavy."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

tf.get_logger().setLevel("ERROR")  # what is deprecated is here on purpose

# Constants with more bytes than this are weights: their values choose no kernel.
_LIGHT = 4096
_ZERO = {
    tf.float32.as_datatype_enum: "float_val",
    tf.float64.as_datatype_enum: "double_val",
    tf.float16.as_datatype_enum: "half_val",
}


@dataclass(frozen=True)
class Saved:
    """A SavedModel that is still to be written: variables, functions, signatures and all."""

    module: Any
    signatures: Any = None

    def write(self, folder: Path) -> None:
        """Writes it; keeps saved_model.pb alone, for the variables' values choose no kernel."""
        tf.saved_model.save(self.module, str(folder), signatures=self.signatures)
        for file in sorted(folder.rglob("*"), reverse=True):
            if file.is_dir():
                file.rmdir()
            elif file.name != "saved_model.pb":
                file.unlink()


# A GraphDef, or a SavedModel.
Maker = Callable[[], Any]
Makers = Mapping[str, Maker]


def floats(*shape: int | None) -> Any:
    """The specification of a float32 tensor."""
    return tf.TensorSpec(shape, tf.float32)


def frozen(call: Callable[..., Any], *specs: Any, lower: bool = True) -> Any:
    """The GraphDef of what `call` does, variables frozen, control flow lowered or left functional."""
    function = tf.function(call).get_concrete_function(*specs)
    made = convert_variables_to_constants_v2(function, lower_control_flow=lower)
    return _light(made.graph.as_graph_def())


def network(model: Any, lower: bool = True) -> Any:
    """The GraphDef of a Keras model in use, frozen."""
    shape = model.input_shape
    return frozen(lambda x: model(x, training=False), floats(1, *shape[1:]), lower=lower)


def drawn(build: Callable[[], Any]) -> Any:
    """The GraphDef that `build` draws as programs for TensorFlow 1 did."""
    with tf.Graph().as_default() as graph:
        build()
        return graph.as_graph_def()


def _light(graph: Any) -> Any:
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    for node in (n for body in bodies for n in body if n.op == "Const"):
        value = node.attr["value"].tensor
        if len(value.tensor_content) > _LIGHT and value.dtype in _ZERO:
            value.tensor_content = b""
            getattr(value, _ZERO[value.dtype]).append(0)
    return graph
