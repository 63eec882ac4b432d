"""What to freeze, and how: as a value, and as the JSON that the program in tfcarve.prepare.freeze.program reads."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["saved_model", "keras", "meta_graph", "graphdef"]


@dataclass(frozen=True, slots=True)
class Options:
    """The user's options of a freeze.

    Attributes:
      tags: of the graph in a SavedModel; all of these and no others.
      signature: where the inputs and outputs are taken from, as far as they are not named.
      inputs: tensors (`node` or `node:1`) that become Placeholders; empty: the signature's.
      outputs: tensors that the graph is to compute; empty: the signature's.
      checkpoint: prefix of the checkpoint's files, "" where there is none.
      moving_averages: take the shadow variables of ExponentialMovingAverage where the checkpoint has them.
      lower_control_flow: turn While, If and Case into Switch, Merge, Enter and Exit.
      unroll: replace loops of at most so many iterations by their iterations; 0: keep loops.
    """

    tags: tuple[str, ...] = ("serve",)
    signature: str = "serving_default"
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    checkpoint: str = ""
    moving_averages: bool = False
    lower_control_flow: bool = False
    unroll: int = 0


DEFAULTS = Options()


@dataclass(frozen=True, slots=True)
class Request:
    """One freeze.

    Attributes:
      path: absolute path of the file, of a SavedModel its directory.
      name: the path as the user gave it, for messages.
      kind: what it is.
      text: it is in text form.
      options: how to freeze it.
    """

    path: str
    name: str
    kind: Kind
    text: bool
    options: Options

    def to_json(self) -> str:
        """Returns the request as JSON."""
        return json.dumps(asdict(self))


def from_json(text: str) -> Request:
    """Returns the request that Request.to_json wrote."""
    fields: dict[str, Any] = json.loads(text)
    options: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in fields.pop("options").items()
    }
    return Request(options=Options(**options), **fields)
