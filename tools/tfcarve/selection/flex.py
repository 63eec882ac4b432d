"""Checks that a Flex delegate can run models. Such a delegate calls the kernel of each TensorFlow op by itself.

Source: tensorflow/lite/delegates/flex/{kernel,delegate_data}.cc.
"""

from collections.abc import Iterable

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import Model

_TFLITE = "tflite-flex"
_OPS_LIST = "ops-list"
_FUNCTIONS = ("func", "list(func)")


def _problem(model: Model) -> str:
    """Returns why a Flex delegate cannot run a model; "": it can."""
    if model.format != _TFLITE:
        return (
            f"{model.path}: is of the format {model.format}: a Flex delegate runs .tflite models: convert it with "
            "TFLiteConverter and OpsSet.SELECT_TF_OPS, or build a tf_mobile_library for it"
        )
    if not len(model.nodes):
        return f"{model.path}: has no TensorFlow ops (Flex ops): it needs no delegate"
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
