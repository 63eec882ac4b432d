"""Reads the values of variables from a checkpoint of format V1 or V2.

TensorFlow's op RestoreV2 reads the values, tfcarve the names and types. Source of the names of moving averages:
tensorflow/python/training/moving_averages.py.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from google.protobuf.message import DecodeError

from tfcarve.errors import InvalidInput
from tfcarve.models import checkpoint_index
from tfcarve.models.wire import WireError
from tfcarve.nearest import nearest
from tfcarve.prepare.evaluate.evaluator import Evaluator, Failed
from tfcarve.prepare.freeze.nodes import make, strings
from tfcarve.prepare.freeze.reason import reason
from tfcarve.prepare.freeze.trace import Trace
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Graph, Ref
from tfcarve.prepare.graph.messages import NodeDef, TensorProto
from tfcarve.prepare.graph.saved_model_messages import TrackableObjectGraph

_AVERAGE = "/ExponentialMovingAverage"
# The key of the object graph in checkpoints of TensorFlow 2; it is not a variable.
_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
# The name of the attribute of an object that is a variable's value.
_VALUE = "VARIABLE_VALUE"
_MAX_LISTED = 20
# The inputs of RestoreV2, in its order.
_PREFIX, _NAMES, _PARTS = "prefix", "tensor_names", "shape_and_slices"
_RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a value: its key, and a slice ("" for all) in the format of RestoreV2's shape_and_slices."""

    key: str
    part: str = ""


def _restoring(dtype: int) -> Graph:
    """Returns a graph that reads any value of a type from a checkpoint, so that it is loaded once for many variables."""
    inputs = (_PREFIX, _NAMES, _PARTS)
    read = make(_RESTORED, "RestoreV2", inputs, {})
    read.attr["dtypes"].list.type.append(dtype)
    return Graph([*(make(n, "Placeholder", [], {"dtype": tensors.STRING}) for n in inputs), read])


class Checkpoint:
    """An open checkpoint.

    Args:
      prefix: the path prefix of its files.
      name: the checkpoint's name, for messages.
      moving_averages: use the moving average of a variable if the checkpoint has one.
      evaluator: TensorFlow.
    Raises InvalidInput if the checkpoint is damaged.
    """

    def __init__(self, prefix: str, name: str, moving_averages: bool, evaluator: Evaluator) -> None:
        self.name = name
        self._prefix = prefix
        self._evaluator = evaluator
        try:
            self._types = checkpoint_index.read(Path(prefix))
        except (WireError, OSError) as error:
            raise self._damaged(error) from None
        self.keys = self._types.keys() - {_OBJECT_GRAPH}
        self._averages = moving_averages
        if moving_averages and not any(key.endswith(_AVERAGE) for key in self.keys):
            raise InvalidInput(
                f"checkpoint {name}: has no moving averages (no variable *{_AVERAGE}): remove --moving-averages"
            )

    def _damaged(self, why: object) -> InvalidInput:
        return InvalidInput(
            f"checkpoint {self.name}: cannot be read: {why}: it may be truncated or incomplete"
        )

    @cached_property
    def object_graph(self) -> TrackableObjectGraph:
        """The objects whose variables it has; empty if it does not say. Raises InvalidInput if they are damaged."""
        if _OBJECT_GRAPH not in self._types:
            return TrackableObjectGraph()
        found = self._restored(Location(_OBJECT_GRAPH)).string_val
        try:
            return TrackableObjectGraph.FromString(found[0] if found else b"")
        except DecodeError as error:
            raise InvalidInput(
                f"checkpoint {self.name}: its object graph is damaged: {error}"
            ) from None

    @cached_property
    def _keys_by_name(self) -> Mapping[str, str]:
        """The keys by the full name of their variable, for names that only one variable has."""
        rows = [
            (each.full_name, each.checkpoint_key)
            for node in self.object_graph.nodes
            for each in node.attributes
            if each.name == _VALUE
        ]
        counts = Counter(name for name, _ in rows)
        return {name: key for name, key in rows if counts[name] == 1 and key in self.keys}

    def location(self, variable: NodeDef) -> Location:
        """Returns the location of a variable according to its name, for graphs that do not restore it."""
        shared = variable.attr["shared_name"].s.decode("utf-8", "replace")
        for name in (variable.name, shared):
            if name in self.keys:
                return Location(name)
        # tf.saved_model.save of a model of Keras 3 writes a graph that restores other variables than it reads.
        return Location(self._keys_by_name.get(shared, variable.name))

    def _restored(self, location: Location) -> TensorProto:
        texts = {_PREFIX: self._prefix, _NAMES: [location.key], _PARTS: [location.part]}
        feeds = {Ref(name): tensors.from_array(strings(text)) for name, text in texts.items()}
        try:
            graph = self._evaluator.kept(_restoring(self._types[location.key]))
            return graph.run([Ref(_RESTORED)], feeds)[0]
        except Failed as error:
            raise self._damaged(reason(error)) from None
        except InvalidInput as error:
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

    def value(self, location: Location, variable: str) -> TensorProto:
        """Returns the tensor at `location`.

        Raises InvalidInput, with the variable's name, if it does not exist or the file is damaged.
        """
        self.require({variable: location})
        return self._restored(replace(location, key=self._key(location)))


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
