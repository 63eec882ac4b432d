"""The result of freezing a model, in the JSON form that tfcarve.prepare.freeze.program writes."""

from tfcarve.json_codec import JsonDocument


class Tensor(JsonDocument, frozen=True):
    """An input or output.

    Attributes:
      name: the name of its node.
      given: its name in the signature, or the tensor that the user passed.
      dtype: TensorFlow's name of its type.
      shape: -1 for an unknown dimension; None if the rank is unknown.
    """

    name: str
    given: str
    dtype: str
    shape: tuple[int, ...] | None


class Result(JsonDocument, frozen=True):
    """The inputs and outputs of a frozen graph, or an error.

    Attributes:
      error: the message for the user; "" on success.
      inputs: the Placeholders.
      outputs: the output nodes.
      dropped: whether the graph was frozen already, but had attributes that the TensorFlow which is built does not have.
      notes: the changes of freezing other than constants for variables, for the user.
      newer: notes about ops that the TensorFlow which is built does not have, for the user.
    """

    error: str = ""
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    dropped: bool = False
    notes: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
