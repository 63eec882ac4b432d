"""Reads the values of variables from a checkpoint of format V1 or V2.

Sources: tensorflow/core/util/tensor_slice_reader.h (both formats), tensorflow/core/framework/tensor_slice.h (slices),
tensorflow/python/training/moving_averages.py (names of moving averages).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.freeze.ops import NodeDef
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.trace import Trace

_AVERAGE = "/ExponentialMovingAverage"
# The key of the object graph in checkpoints of TensorFlow 2; it is not a variable.
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_MAX_LISTED = 20


# What TensorFlow's reader raises, depending on the status that it gets.
_UNREADABLE = (tf.errors.OpError, ValueError, RuntimeError, IndexError, MemoryError)


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a value: its key, and a slice ("" for all) in the format of RestoreV2's shape_and_slices."""

    key: str
    part: str = ""


class Checkpoint:
    """An open checkpoint.

    Args:
      prefix: the path prefix of its files.
      name: the checkpoint's name, for messages.
      moving_averages: use the moving average of a variable if the checkpoint has one.
    Raises InvalidInput if the checkpoint is damaged.
    """

    def __init__(self, prefix: str, name: str, moving_averages: bool) -> None:
        self.name = name
        try:
            self._reader = tf.compat.v1.train.NewCheckpointReader(prefix)
            every = frozenset(self._reader.get_variable_to_shape_map())
        except _UNREADABLE as error:
            raise self._damaged(error) from None
        self._has_objects = _OBJECT_GRAPH in every
        self.keys = every - {_OBJECT_GRAPH}
        self._averages = moving_averages
        if moving_averages and not any(key.endswith(_AVERAGE) for key in self.keys):
            raise InvalidInput(
                f"checkpoint {name}: has no moving averages (no variable *{_AVERAGE}): remove --moving-averages"
            )

    def _damaged(self, error: Exception) -> InvalidInput:
        return InvalidInput(
            f"checkpoint {self.name}: cannot be read: {reason(error)}: it may be truncated or incomplete"
        )

    def object_graph(self) -> bytes:
        """Returns the serialized TrackableObjectGraph; empty if there is none."""
        try:
            return bytes(self._reader.get_tensor(_OBJECT_GRAPH)) if self._has_objects else b""
        except _UNREADABLE as error:
            raise self._damaged(error) from None

    def _key(self, location: Location) -> str:
        average = location.key + _AVERAGE
        return average if self._averages and average in self.keys else location.key

    def require(self, locations: Mapping[str, Location]) -> None:
        """Raises InvalidInput, with all that are missing, if the checkpoint does not have the variables `locations`, by name."""
        missing = [name for name, place in locations.items() if self._key(place) not in self.keys]
        if not missing:
            return
        lines = [self._missing(name, self._key(locations[name])) for name in missing[:_MAX_LISTED]]
        if len(missing) == 1:
            raise InvalidInput(f"checkpoint {self.name}: does not have the variable {lines[0]}")
        more = len(missing) - _MAX_LISTED
        listed = "\n".join(
            f"  {line}" for line in [*lines, *([f"and {more:,} more"] if more > 0 else [])]
        )
        raise InvalidInput(
            f"checkpoint {self.name}: does not have {len(missing):,} variables of the graph:\n{listed}"
        )

    def _missing(self, variable: str, key: str) -> str:
        of = f" (key {key!r})" if key != variable else ""
        return f"{variable!r}{of}{nearest(key, self.keys)}"

    def value(self, location: Location, variable: str) -> Any:
        """Returns the array at `location`.

        Raises InvalidInput, with the variable's name, if it does not exist or the file is damaged.
        """
        self.require({variable: location})
        try:
            whole = self._reader.get_tensor(self._key(location))
        except _UNREADABLE as error:
            raise self._damaged(error) from None
        return _part(whole, location.part, variable)


def _part(whole: Any, part: str, variable: str) -> Any:
    """Returns a slice of an array: `10 4 0,5:-` is the first five rows of ten, with all four columns."""
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
        raise InvalidInput(f"variable {variable!r}: {part!r} is not a valid slice") from None


def location_of(trace: Trace, restored: NodeDef, port: int) -> Location | None:
    """Returns the location that RestoreV2 reads for its output `port`, or None if it is not constant."""
    try:
        keys, parts = (trace.value(restored.input[i]).ravel() for i in (1, 2))
        return Location(keys[port].decode(), parts[port].decode())
    except (InvalidInput, IndexError, UnicodeDecodeError):
        return None


def locations(trace: Trace) -> Mapping[str, Location]:
    """Returns the location from which the graph's own nodes restore each variable, by the variable's node."""
    found: dict[str, Location] = {}
    for node in trace.nodes.values():
        if node.op in ("Assign", "AssignVariableOp") and len(node.input) >= 2:
            variable, _ = trace.origin(node.input[0])
            value, port = trace.origin(node.input[1])
            if variable is not None and value is not None and value.op == "RestoreV2":
                location = location_of(trace, value, port)
                if location:
                    found[variable.name] = location
    return found


def location_by_name(variable: NodeDef, keys: Iterable[str]) -> Location:
    """Returns the location of a variable according to its name, for graphs that do not restore it."""
    shared = variable.attr["shared_name"].s.decode("utf-8", "replace")
    return Location(shared if variable.name not in keys and shared in keys else variable.name)
