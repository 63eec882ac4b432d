"""Prints, as JSON, which attribute values TensorFlow's CPU kernels without oneDNN refuse.

`formats`: for each op with the attribute data_format, the layouts that are refused; `null` if the op has no example here.
`rules`: for each attribute that is a list of integers, what the kernels require of it (refused_attributes.yaml), by op. Runs
each op with each layout and with lists that violate one rule each.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import kernels

_R = tf.raw_ops
_CHANNELS = 3


def _x(*shape: int) -> Any:
    return tf.constant(np.random.default_rng(0).uniform(size=shape).astype(np.float32))


def _i(shape: Sequence[int]) -> Any:
    return tf.constant(list(shape), tf.int32)


def _first(form: str) -> bool:
    return form in ("NCHW", "NCDHW", "CHANNELS_FIRST")


def _shape(form: str, side: int = 8, channels: int = _CHANNELS) -> tuple[int, ...]:
    sides = (side,) * (3 if "D" in form else 2)
    return (2, channels, *sides) if _first(form) else (2, *sides, channels)


def _window(form: str) -> list[int]:
    sides = [2] * (3 if "D" in form else 2)
    return [1, 1, *sides] if _first(form) else [1, *sides, 1]


def _filter(form: str, out: int = 5) -> tuple[int, ...]:
    return (*(3,) * (3 if "D" in form else 2), _CHANNELS, out)


def _conv(form: str) -> dict[str, Any]:
    return {"strides": [1] * (5 if "D" in form else 4), "padding": "SAME", "data_format": form}


def _pool(form: str, tensors: bool = False) -> dict[str, Any]:
    window = _i(_window(form)) if tensors else _window(form)
    return {"ksize": window, "strides": window, "padding": "SAME", "data_format": form}


def _pooled(form: str) -> dict[str, Any]:
    return {"orig_input": _x(*_shape(form)), "orig_output": _x(*_shape(form, 4))}


def _norm(form: str) -> dict[str, Any]:
    names = ("scale", "offset", "mean", "variance")
    values = {name: _x(_CHANNELS) for name in names}
    return {"x": _x(*_shape(form)), **values, "is_training": False, "data_format": form}


def _norm_gradient(form: str, reserved: int) -> dict[str, Any]:
    tensors = {name: _x(*_shape(form)) for name in ("x", "y_backprop")}
    spaces = {f"reserve_space_{i + 1}": _x(_CHANNELS) for i in range(reserved)}
    return {**tensors, **spaces, "scale": _x(_CHANNELS), "data_format": form}


def _input_gradient(form: str, out: int = 5) -> dict[str, Any]:
    grown = _shape(form, channels=out if out > 1 else _CHANNELS)
    sizes, weights = _i(_shape(form)), _x(*_filter(form, out))
    return {"input_sizes": sizes, "filter": weights, "out_backprop": _x(*grown), **_conv(form)}


def _filter_gradient(form: str, out: int = 5) -> dict[str, Any]:
    grown = _shape(form, channels=out if out > 1 else _CHANNELS)
    sizes, input_tensor = _i(_filter(form, out)), _x(*_shape(form))
    return {"input": input_tensor, "filter_sizes": sizes, "out_backprop": _x(*grown), **_conv(form)}


_CASES: dict[str, Callable[[str], dict[str, Any]]] = {
    "AvgPool": lambda f: {"value": _x(*_shape(f)), **_pool(f)},
    "AvgPool3D": lambda f: {"input": _x(*_shape(f)), **_pool(f)},
    "AvgPool3DGrad": lambda f: {"orig_input_shape": _i(_shape(f)), "grad": _x(*_shape(f, 4)), **_pool(f)},
    "AvgPoolGrad": lambda f: {"orig_input_shape": _i(_shape(f)), "grad": _x(*_shape(f, 4)), **_pool(f)},
    "BiasAdd": lambda f: {"value": _x(*_shape(f)), "bias": _x(_CHANNELS), "data_format": f},
    "BiasAddGrad": lambda f: {"out_backprop": _x(*_shape(f)), "data_format": f},
    "Conv": lambda f: {"input": _x(*_shape(f)), "filter": _x(*_filter(f)), **_conv(f)},
    "Conv2D": lambda f: {"input": _x(*_shape(f)), "filter": _x(*_filter(f)), **_conv(f)},
    "Conv2DBackpropFilter": _filter_gradient,
    "Conv2DBackpropInput": _input_gradient,
    "Conv3D": lambda f: {"input": _x(*_shape(f)), "filter": _x(*_filter(f)), **_conv(f)},
    "Conv3DBackpropFilterV2": _filter_gradient,
    "Conv3DBackpropInputV2": _input_gradient,
    "DepthToSpace": lambda f: {"input": _x(*_shape(f, channels=4)), "block_size": 2, "data_format": f},
    "DepthwiseConv2dNative": lambda f: {"input": _x(*_shape(f)), "filter": _x(*_filter(f, 1)), **_conv(f)},
    "DepthwiseConv2dNativeBackpropFilter": lambda f: _filter_gradient(f, 1),
    "DepthwiseConv2dNativeBackpropInput": lambda f: _input_gradient(f, 1),
    "FusedBatchNorm": _norm,
    "FusedBatchNormGrad": lambda f: _norm_gradient(f, 2),
    "FusedBatchNormGradV2": lambda f: _norm_gradient(f, 2),
    "FusedBatchNormGradV3": lambda f: _norm_gradient(f, 3),
    "FusedBatchNormV2": _norm,
    "FusedBatchNormV3": _norm,
    "MaxPool": lambda f: {"input": _x(*_shape(f)), **_pool(f)},
    "MaxPool3D": lambda f: {"input": _x(*_shape(f)), **_pool(f)},
    "MaxPool3DGrad": lambda f: {**_pooled(f), "grad": _x(*_shape(f, 4)), **_pool(f)},
    "MaxPool3DGradGrad": lambda f: {**_pooled(f), "grad": _x(*_shape(f)), **_pool(f)},
    "MaxPoolGrad": lambda f: {**_pooled(f), "grad": _x(*_shape(f, 4)), **_pool(f)},
    "MaxPoolGradGrad": lambda f: {**_pooled(f), "grad": _x(*_shape(f)), **_pool(f)},
    "MaxPoolGradGradV2": lambda f: {**_pooled(f), "grad": _x(*_shape(f)), **_pool(f, True)},
    "MaxPoolGradV2": lambda f: {**_pooled(f), "grad": _x(*_shape(f, 4)), **_pool(f, True)},
    "MaxPoolV2": lambda f: {"input": _x(*_shape(f)), **_pool(f, True)},
    "SpaceToDepth": lambda f: {"input": _x(*_shape(f)), "block_size": 2, "data_format": f},
}  # fmt: skip


def _has_kernel(op: str) -> bool:
    return any(
        kernel.device_type == "CPU" and not kernel.label
        for kernel in kernels.get_registered_kernels_for_op(op).kernel
    )


def _attributes() -> dict[str, dict[str, Any]]:
    """The attributes of each op that a model may contain."""
    serialized = pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    return {
        op.name: {attr.name: attr for attr in op.attr}
        for op in op_def_pb2.OpList.FromString(serialized).op
        if not op.name.startswith("_") and _has_kernel(op.name)
    }


def _formats(attributes: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The values of data_format of each op that has more than one."""
    found = {
        op: [value.decode() for value in attrs["data_format"].allowed_values.list.s]
        for op, attrs in attributes.items()
        if "data_format" in attrs
    }
    return {op: formats for op, formats in found.items() if len(formats) > 1}


def _is_refused(op: str, form: str) -> bool:
    try:
        getattr(_R, op)(**_CASES[op](form))
    except (tf.errors.OpError, ValueError):
        return True
    return False


def _refuses(op: str, attribute: str, outer: Sequence[int], inner: Sequence[int]) -> bool:
    """Returns whether an op refuses a list, for another reason than that the shapes of its tensors do not fit."""
    form = "CHANNELS_LAST" if op == "Conv" else "NDHWC" if "3D" in op else "NHWC"
    sides = [*inner, *inner[-1:]] if "3D" in op else inner
    items = [outer[0], *sides, outer[1]]
    # Windows over channels must have the same stride, and divide the number of channels.
    steps = {"strides": items} if attribute == "ksize" else {}
    try:
        getattr(_R, op)(**{**_CASES[op](form), attribute: items, **steps})
    except tf.errors.OpError as error:
        return "support" in error.message
    return False


def _rules(op: str, attribute: str) -> list[str]:
    if _refuses(op, attribute, (1, 1), (2, 2)):
        return ["ones"]
    found = ["same"] if _refuses(op, attribute, (1, 1), (1, 2)) else []
    outer = [_refuses(op, attribute, outer, (1, 1)) for outer in ((2, 1), (1, _CHANNELS))]
    return [*found, "inner"] if all(outer) else found


def main() -> None:
    """Prints the tables."""
    attributes = _attributes()
    rules = {
        attribute: {op: _rules(op, attribute) for op in _CASES if attribute in attributes[op]}
        for attribute in ("dilations", "ksize", "strides")
    }
    formats = {
        op: [
            form
            for form in forms
            if form != "NCHW_VECT_C" and _is_refused(op, form)  # int8 of GPUs
        ]
        if op in _CASES
        else None
        for op, forms in _formats(attributes).items()
    }
    print(json.dumps({"formats": formats, "rules": rules}))


if __name__ == "__main__":
    main()
