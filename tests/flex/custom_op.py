"""A TensorFlow Lite model with an app's own TensorFlow op, which TensorFlow Lite's converter does not know."""

from __future__ import annotations

import flat
import tensorflow as tf
from tensorflow.lite.tools import flatbuffer_utils

from flex import flex_models

FACTOR = 3.0


def model() -> bytes:
    """The model one_op, with AppScale of tests/e2e/bzlmod/app_scale.cc in place of Erf."""
    node = tf.compat.v1.NodeDef(op="AppScale")
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["factor"].f = FACTOR
    changed = flatbuffer_utils.convert_bytearray_to_object(bytearray(flex_models.one_op()))
    (code,) = (code for code in changed.operatorCodes if code.customCode == b"FlexErf")
    code.customCode = b"FlexAppScale"
    (operator,) = (
        operator
        for operator in changed.subgraphs[0].operators
        if changed.operatorCodes[operator.opcodeIndex] is code
    )
    operator.customOptions = flat.flex_options(b"AppScale", node.SerializeToString())
    return bytes(flatbuffer_utils.convert_object_to_bytearray(changed))
