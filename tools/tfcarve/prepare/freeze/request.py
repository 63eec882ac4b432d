"""The request to freeze a model, in the JSON form that tfcarve.prepare.freeze.program reads."""

from typing import Literal

from tfcarve.json_codec import JsonDocument
from tfcarve.models.keras import Reader

Kind = Literal["saved_model", "keras", "meta_graph", "graphdef"]


class Options(JsonDocument, frozen=True):
    """The user's options.

    Attributes:
      tags: the exact set of tags of the graph in a SavedModel.
      signature: the signature with the default inputs and outputs.
      inputs: tensors (`node` or `node:1`) that become Placeholders; if empty, the signature's inputs do.
      outputs: tensors that the graph computes; if empty, the signature's outputs.
      checkpoint: prefix of the checkpoint's files; "" for none.
      moving_averages: use the moving average of each variable that has one in the checkpoint.
      lower_control_flow: lower While, If and Case to Switch, Merge, Enter and Exit.
      unroll: unroll loops with at most this number of iterations; 0 to keep loops.
      custom_objects: path of the Python file with the classes and functions of a Keras file that are not part of Keras; ""
        for none.
      op_libraries: absolute paths of shared libraries with custom ops, which TensorFlow loads.
      constants: "NAME=VALUE": values of Placeholders, which become constants.
      assertions: whether assertions stay.
    """

    tags: tuple[str, ...] = ("serve",)
    signature: str = "serving_default"
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    checkpoint: str = ""
    moving_averages: bool = False
    lower_control_flow: bool = False
    unroll: int = 0
    custom_objects: str = ""
    op_libraries: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    assertions: Literal["keep", "drop"] = "keep"


DEFAULTS = Options()


def requires_freezing(options: Options) -> bool:
    """Returns whether the options change a graph that has no variables, or supply its variables."""
    return bool(
        options.checkpoint
        or options.moving_averages
        or options.lower_control_flow
        or options.unroll
        or options.constants
        or options.assertions != DEFAULTS.assertions
    )


def without_changes(options: Options) -> Options:
    """Returns the options that only select a graph and its signature, and load libraries or custom objects."""
    return Options(
        tags=options.tags,
        signature=options.signature,
        custom_objects=options.custom_objects,
        op_libraries=options.op_libraries,
    )


class Request(JsonDocument, frozen=True):
    """A request to freeze a model.

    Attributes:
      path: absolute path of the file, or of a SavedModel's directory.
      name: the path that the user gave, for messages.
      kind: the kind of the model.
      release: the name of the TensorFlow release that runs the frozen graph.
      text: whether the file is in text format.
      options: the user's options.
      keras: the package that loads a Keras file; None for another model.
    """

    path: str
    name: str
    kind: Kind
    release: str
    text: bool
    options: Options
    keras: Reader | None = None
