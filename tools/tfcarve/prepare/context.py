"""The context of a transform: inputs, outputs, parameters and TensorFlow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tfcarve.errors import InvalidInput
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph.graph import Ref, ref


@dataclass(frozen=True)
class Parameters:
    """The parameters of one transform in a list of transforms.

    Attributes:
      transform: the transform's name, for messages.
      values: the values of each parameter, in the order in which they are given.
    """

    transform: str
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def all(self, name: str) -> tuple[str, ...]:
        """Returns the values of a repeatable parameter."""
        return tuple(self.values.get(name, ()))

    def required(self, name: str, example: str) -> tuple[str, ...]:
        """Returns the values of a required parameter; raises InvalidInput, with `example`, if it is missing."""
        if not self.all(name):
            raise InvalidInput(f"{self.transform}: the parameter {name!r} is required: {example}")
        return self.all(name)

    def one(self, name: str, default: str = "") -> str:
        """Returns the value of a parameter; raises InvalidInput if there are several."""
        values = self.all(name) or (default,)
        if len(values) > 1:
            raise InvalidInput(
                f"{self.transform}: {name} is passed {len(values)} times: pass it once"
            )
        return values[0]

    def integer(self, name: str, default: int) -> int:
        """Returns the value of an integer parameter; raises InvalidInput if it is not an integer."""
        text = self.one(name, str(default))
        try:
            return int(text)
        except ValueError:
            raise self._wrong(name, text, "an integer") from None

    def number(self, name: str, default: float) -> float:
        """Returns the value of a number parameter; raises InvalidInput if it is not a number."""
        text = self.one(name, str(default))
        try:
            return float(text)
        except ValueError:
            raise self._wrong(name, text, "a number") from None

    def boolean(self, name: str, default: bool) -> bool:
        """Returns the value of a boolean parameter; raises InvalidInput if it is not true or false."""
        text = self.one(name, str(default)).lower()
        if text not in ("true", "false", "1", "0"):
            raise self._wrong(name, text, "true or false")
        return text in ("true", "1")

    def _wrong(self, name: str, text: str, wanted: str) -> InvalidInput:
        return InvalidInput(f"{self.transform}: {name}={text!r}: expected {wanted}")


@dataclass(frozen=True)
class Context:
    """The context of a transform.

    Attributes:
      inputs: the tensors that the app feeds ("x", "x:0").
      outputs: the tensors that the app fetches; a transform preserves their names.
      parameters: the parameters of this transform.
      evaluator: computes parts of the graph and has the OpDefs.
      in_function: whether the graph is a function's body; then inputs are its arguments and outputs its results.
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

    def preserved(self) -> set[str]:
        """Returns the names of the nodes that must stay, because they are fed or fetched."""
        return self.input_nodes() | self.output_nodes()
