"""The functions of a SavedModel that was read, which `--signature` can name."""

from collections.abc import Iterator
from itertools import islice

from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.models import saved_functions
from tfcarve.models.node_use import Model
from tfcarve.models.object_graph import ObjectGraph
from tfcarve.models.saved_functions import FunctionError, FunctionTensor
from tfcarve.models.wire import Budget, WireError

# Longer lists are cut.
_MAX_LISTED = 10_000


class ModelFunction(JsonDocument, frozen=True):
    """A function of a SavedModel.

    Attributes:
      name: the name that `--signature` takes.
      arguments: the arguments of its Python code as text, with the values of arguments that are not tensors.
      inputs: its inputs, in their order.
      outputs: its outputs, in their order.
    """

    name: str
    arguments: str
    inputs: tuple[FunctionTensor, ...]
    outputs: tuple[FunctionTensor, ...]


def _graphs(model: Model) -> Iterator[ObjectGraph]:
    for data, place, end in model.objects:
        yield ObjectGraph(data, (place, end), Budget(end - place))


def model_functions(model: Model) -> tuple[ModelFunction, ...]:
    """Returns the public functions of a SavedModel, the nearest to the model first; empty for other models.

    Raises InvalidInput if they are damaged.
    """
    found: list[ModelFunction] = []
    try:
        for graph in _graphs(model):
            for f in islice(saved_functions.functions(graph), _MAX_LISTED - len(found)):
                found.append(ModelFunction(f.name, f.arguments, f.inputs, f.outputs))
    except WireError as error:
        raise InvalidInput(f"{model.path}: {error}") from None
    return tuple(found)


def has_function(model: Model, name: str) -> bool:
    """Returns whether a SavedModel has a function, which may be private.

    Raises InvalidInput if the name means several functions, or they are damaged.
    """
    try:
        return any(saved_functions.find(graph, name) for graph in _graphs(model))
    except (FunctionError, WireError) as error:
        raise InvalidInput(f"{model.path}: {error}") from None
