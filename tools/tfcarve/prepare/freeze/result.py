"""What the program that freezes says beside the graph: as values, and as JSON."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output: its node, its type by TensorFlow's name, its shape (None: open rank; -1: open dimension)."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Result:
    """What was frozen, or why it was not.

    Attributes:
      refused: the message for the user; "" where the graph is there.
      inputs: the Placeholders.
      outputs: the nodes that the graph is for.
    """

    refused: str = ""
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()

    def to_json(self) -> str:
        """Returns the result as JSON."""
        return json.dumps(asdict(self))


def _tensor(name: str, dtype: str, shape: list[int] | None) -> Tensor:
    return Tensor(name, dtype, None if shape is None else tuple(shape))


def from_json(text: str) -> Result:
    """Returns the result that Result.to_json wrote."""
    fields = json.loads(text)
    sides = (tuple(_tensor(**t) for t in fields[side]) for side in ("inputs", "outputs"))
    return Result(fields["refused"], *sides)
