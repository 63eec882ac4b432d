"""What a transform knows beside the graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate import Evaluator
from tfcarve.prepare.graph import Ref, ref


@dataclass(frozen=True)
class Parameters:
    """The parameters of one transform in a list of transforms.

    Attributes:
      transform: its name, for messages.
      values: the values of each parameter, in the order in which they are named.
    """

    transform: str
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def all(self, name: str) -> tuple[str, ...]:
        """Returns the values of a parameter that may be named several times."""
        return tuple(self.values.get(name, ()))

    def required(self, name: str, example: str) -> tuple[str, ...]:
        """Returns the same, one at least; raises InvalidInput, with `example`, where there is none."""
        if not self.all(name):
            raise InvalidInput(f"{self.transform}: needs the parameter {name!r}: {example}")
        return self.all(name)

    def one(self, name: str, default: str = "") -> str:
        """Returns the only value of a parameter; raises InvalidInput where there are several."""
        values = self.all(name) or (default,)
        if len(values) > 1:
            raise InvalidInput(f"{self.transform}: {name}: {len(values)} values: name it once")
        return values[0]

    def whole(self, name: str, default: int) -> int:
        """Returns the only value, a whole number; raises InvalidInput where it is none."""
        text = self.one(name, str(default))
        try:
            return int(text)
        except ValueError:
            raise self._wrong(name, text, "a whole number") from None

    def number(self, name: str, default: float) -> float:
        """Returns the only value, a number; raises InvalidInput where it is none."""
        text = self.one(name, str(default))
        try:
            return float(text)
        except ValueError:
            raise self._wrong(name, text, "a number") from None

    def truth(self, name: str, default: bool) -> bool:
        """Returns the only value, true or false; raises InvalidInput where it is neither."""
        text = self.one(name, str(default)).lower()
        if text not in ("true", "false", "1", "0"):
            raise self._wrong(name, text, "true or false")
        return text in ("true", "1")

    def _wrong(self, name: str, text: str, wanted: str) -> InvalidInput:
        return InvalidInput(f"{self.transform}: {name}={text!r}: give {wanted}")


@dataclass(frozen=True)
class Context:
    """What a transform knows beside the graph.

    Attributes:
      inputs: the tensors that the app feeds ("x", "x:0").
      outputs: the tensors that it fetches; each is there, with its name, after the transform too.
      parameters: those of this transform.
      evaluator: computes parts of the graph and knows the ops.
      in_function: the graph is a function's body: its inputs are the arguments, its outputs what it returns.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    parameters: Parameters
    evaluator: Evaluator
    in_function: bool = False

    def input_nodes(self) -> set[str]:
        """Returns the names of the nodes that are fed."""
        return {ref(name).node for name in self.inputs}

    def output_nodes(self) -> set[str]:
        """Returns the names of the nodes that are fetched."""
        return {ref(name).node for name in self.outputs}

    def output_refs(self) -> list[Ref]:
        """Returns the tensors that are fetched."""
        return [ref(name) for name in self.outputs]

    def kept(self) -> set[str]:
        """Returns the names of the nodes that have to stay: those that are fed and those that are fetched."""
        return self.input_nodes() | self.output_nodes()
