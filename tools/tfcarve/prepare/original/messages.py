"""The messages between tfcarve and the programs that run a model that is not frozen."""

from msgspec.json import Decoder

from tfcarve.json_codec import JsonDocument
from tfcarve.models.saved_functions import Function
from tfcarve.prepare.freeze.request import Request


class RunRequest(JsonDocument, frozen=True):
    """A model, its inputs and outputs; the parts are the serialized TensorProtos of each sample, in the order of `inputs`.

    Attributes:
      model: the model and the options with which it is frozen.
      samples: the number of samples.
      inputs: the inputs to feed, by their names in the frozen graph.
      outputs: the outputs to fetch, by their names in the frozen graph.
    """

    model: Request
    samples: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class FunctionRequest(JsonDocument, frozen=True):
    """A function of a SavedModel, its inputs and outputs; the message has the parts of a RunRequest.

    Attributes:
      folder: the SavedModel.
      tags: of its graph.
      op_libraries: absolute paths of shared libraries with custom ops.
      function: the function.
      samples: the number of samples.
      inputs: the inputs to feed, by their names in `function`.
      outputs: the outputs to fetch, by their names in `function`.
    """

    folder: str
    tags: tuple[str, ...]
    op_libraries: tuple[str, ...]
    function: Function
    samples: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class RunResult(JsonDocument, frozen=True):
    """The results; the parts are the serialized TensorProtos of each sample, in the order of the outputs.

    Attributes:
      error: why the next sample, or the model itself, can't be run; "" if all samples were run.
    """

    error: str = ""


REQUEST = Decoder(RunRequest)
FUNCTION_REQUEST = Decoder(FunctionRequest)
RESULT = Decoder(RunResult)
