"""Values of variables in a checkpoint, of format V1 or V2.

Sources: tensorflow/core/util/tensor_slice_reader.h (both formats), tensorflow/core/framework/tensor_slice.h (slices),
tensorflow/python/training/moving_averages.py (names of shadow variables).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze.ops import NodeDef
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.tensor_names import nearest
from tfcarve.prepare.freeze.trace import Trace

_SHADOW = "/ExponentialMovingAverage"
# A name that variables have for the file alone, of the object graph in checkpoints of TensorFlow 2.
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"


# What TensorFlow's reader raises, by the status that it gets.
_UNREADABLE = (tf.errors.OpError, ValueError, RuntimeError, IndexError, MemoryError)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: its key, and which part of it ("" for all), as RestoreV2's shape_and_slices has it."""

    key: str
    part: str = ""


class Checkpoint:
    """A checkpoint that is open.

    Args:
      prefix: the path that the names of its files start with.
      name: what messages call it.
      moving_averages: give shadow variables where there are some.
    Raises InvalidInput where there is none, or it is damaged.
    """

    def __init__(self, prefix: str, name: str, moving_averages: bool) -> None:
        self.name = name
        folder = Path(prefix).parent
        start = Path(prefix).name
        if not folder.is_dir() or not any(p.name.startswith(start) for p in folder.iterdir()):
            raise InvalidInput(f"checkpoint {name}: no such file, nor {name}.index")
        try:
            self._reader = tf.compat.v1.train.NewCheckpointReader(prefix)
            self.keys = frozenset(self._reader.get_variable_to_shape_map()) - {_OBJECT_GRAPH}
        except _UNREADABLE as error:
            raise self._damaged(error) from None
        self._shadows = moving_averages
        if moving_averages and not any(key.endswith(_SHADOW) for key in self.keys):
            raise InvalidInput(
                f"checkpoint {name}: has no moving averages (no variable *{_SHADOW}): leave out --moving-averages"
            )

    def _damaged(self, error: Exception) -> InvalidInput:
        return InvalidInput(
            f"checkpoint {self.name}: cannot be read: {reason(error)}: is it cut short, or a part of it missing?"
        )

    def value(self, place: Place, variable: str) -> Any:
        """Returns the array at `place`.

        Raises InvalidInput, with the variable's name, where there is none or the file is damaged.
        """
        key = place.key
        if self._shadows and key + _SHADOW in self.keys:
            key += _SHADOW
        if key not in self.keys:
            raise InvalidInput(
                f"checkpoint {self.name}: has no value for the variable {variable!r}"
                + (f" (key {key!r})" if key != variable else "")
                + nearest(key, self.keys)
            )
        try:
            whole = self._reader.get_tensor(key)
        except _UNREADABLE as error:
            raise self._damaged(error) from None
        return _part(whole, place.part, variable)


def _part(whole: Any, part: str, variable: str) -> Any:
    """Returns a part of an array: `10 4 0,5:-` is its first five rows, of ten with four columns."""
    if not part:
        return whole
    *_, extents = part.split(" ")
    try:
        slices = []
        for extent in extents.split(":"):
            if extent == "-":
                slices.append(slice(None))
            else:
                start, length = map(int, extent.split(","))
                slices.append(slice(start, start + length))
        return whole[tuple(slices)]
    except (ValueError, IndexError):
        raise InvalidInput(f"variable {variable!r}: {part!r} is no part of a tensor") from None


def place_of(trace: Trace, restored: NodeDef, port: int) -> Place | None:
    """Returns where RestoreV2 reads its output `port`; None where that is not constant."""
    try:
        keys, parts = (trace.value(restored.input[i]).ravel() for i in (1, 2))
        return Place(keys[port].decode(), parts[port].decode())
    except (InvalidInput, IndexError, UnicodeDecodeError):
        return None


def places(trace: Trace) -> Mapping[str, Place]:
    """Returns where the graph's own nodes restore its variables from, by the variables' nodes."""
    found: dict[str, Place] = {}
    for node in trace.nodes.values():
        if node.op in ("Assign", "AssignVariableOp") and len(node.input) >= 2:
            variable, _ = trace.origin(node.input[0])
            value, port = trace.origin(node.input[1])
            if variable is not None and value is not None and value.op == "RestoreV2":
                place = place_of(trace, value, port)
                if place:
                    found[variable.name] = place
    return found


def guessed(variable: NodeDef, keys: Iterable[str]) -> Place:
    """Returns where a variable is by its name, for graphs that do not restore it."""
    shared = variable.attr["shared_name"].s.decode("utf-8", "replace")
    return Place(shared if variable.name not in keys and shared in keys else variable.name)
