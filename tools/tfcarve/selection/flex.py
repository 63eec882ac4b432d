"""Checks that a Flex delegate can run models. Such a delegate calls the kernel of each TensorFlow op by itself.

Source: tensorflow/lite/delegates/flex/{kernel,delegate_data}.cc.
"""

from collections.abc import Iterable

from tfcarve.errors import CheckFailed, InvalidInput, Problem
from tfcarve.models.node_use import Model

_TFLITE = "tflite-flex"
_OPS_LIST = "ops-list"
_FUNCTIONS = ("func", "list(func)")
_NO_OPS = "has no TensorFlow ops (Flex ops)"


def _problem(model: Model) -> str:
    """Returns the reason why a Flex delegate cannot run a model; "" if it can."""
    if model.format != _TFLITE:
        return (
            f"{model.path}: is of the format {model.format}: a Flex delegate runs .tflite models: convert it with "
            "TFLiteConverter and OpsSet.SELECT_TF_OPS, or build a tf_mobile_library for it"
        )
    if not len(model.nodes):
        return f"{model.path}: {_NO_OPS}: it needs no delegate"
    for use in model.nodes:
        for name, value in use.attrs.items():
            if value.kind in _FUNCTIONS:
                return (
                    f"{model.path}: {use.place()}: the attribute {name!r} of {use.op} is a function: a carved Flex delegate "
                    "does not call subgraphs of the model"
                )
    return ""


def check(models: Iterable[Model]) -> None:
    """Raises InvalidInput, with all problems, if a Flex delegate cannot run the models. Ops lists are valid."""
    problems = [why for m in models if m.format != _OPS_LIST and (why := _problem(m))]
    if problems:
        raise InvalidInput("\n".join(problems))


def require_ops(models: Iterable[Model]) -> None:
    """Raises CheckFailed, with all of them, if .tflite models need no TensorFlow library."""
    found = [m.path for m in models if m.format == _TFLITE and not len(m.nodes)]
    if found:
        raise CheckFailed(
            "no TensorFlow library is needed:",
            [
                Problem(
                    f"{path} {_NO_OPS}", hint="TensorFlow Lite runs it: remove it from the models"
                )
                for path in found
            ],
        )
