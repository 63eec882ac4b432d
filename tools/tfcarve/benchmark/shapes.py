"""The shapes of nodes' inputs, from traced outputs and from the model's constants. Pure."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tfcarve.benchmark.measurement import Node
from tfcarve.benchmark.multiply_adds import OPS, Execution, multiply_adds
from tfcarve.client.arrays import Shape
from tfcarve.models.node_use import NodeUse

# Ops whose output is their input.
_IDENTITIES = frozenset(("Identity", "ReadVariableOp", "Snapshot", "StopGradient"))
# TensorFlow's constant folding replaces NAME by NAME/_N__cf__N (common_runtime/constant_folding.cc).
_FOLDED = re.compile(r"(?P<name>.+)/_\d+__cf__\d+\Z")
_INDEX = re.compile(r"\d{1,9}\Z", re.ASCII)


def _unfolded(name: str) -> str:
    folded = _FOLDED.match(name)
    return folded["name"] if folded else name


class _Model:
    """Shapes of a model's constants and equations of its Einsum nodes."""

    def __init__(self, uses: Iterable[NodeUse]) -> None:
        self.constants: dict[str, Shape] = {}
        self.equations: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        for use in uses:
            if use.op == "Const":
                value = use.attrs.get("value")
                shape = value.value[1] if value is not None and value.kind == "tensor" else None
                if shape is not None and all(dim >= 0 for dim in shape):
                    self.constants[use.node] = shape
            elif use.op in _IDENTITIES and use.inputs:
                self._sources[use.node] = use.inputs[0].partition(":")[0]
            elif use.op == "Einsum":
                equation = use.attrs.get("equation")
                if equation is not None and equation.kind == "string":
                    self.equations[use.node] = equation.value

    def constant(self, name: str) -> Shape | None:
        """Returns the shape of node `name` if it is a constant or an identity of one."""
        seen = set()
        while name not in self.constants:
            if name in seen or name not in self._sources:
                return None
            seen.add(name)
            name = self._sources[name]
        return self.constants[name]


def _full_names(reader: str, name: str) -> Iterator[str]:
    """Yields the possible full names of `name`, an input of the node `reader`.

    The names of the nodes of an inlined function are prefixed by the name of the calling node.
    """
    yield name
    parts = reader.split("/")
    for count in range(len(parts) - 1, 0, -1):
        yield "/".join([*parts[:count], name])


def _input_shape(
    reader: Node, text: str, outputs: Mapping[str, Sequence[Shape | None]], model: _Model
) -> Shape | None:
    parts = text.split(":")
    index = int(parts[-1]) if len(parts) > 1 and _INDEX.match(parts[-1]) else 0
    for name in _full_names(reader.name, parts[0]):
        if name in outputs:
            shapes = outputs[name]
            return shapes[index] if index < len(shapes) else None
    return model.constant(parts[0])


def node_multiply_adds(nodes: Sequence[Node], uses: Iterable[NodeUse]) -> list[int | None]:
    """Returns for each node the multiply-adds of one execution; None if a required shape is unknown.

    Args:
      nodes: of a traced run.
      uses: the model's nodes, for the shapes of constants that TensorFlow folded.
    """
    outputs = {
        _unfolded(node.name): [o.dims if o.dtype else None for o in node.outputs] for node in nodes
    }
    # Most nodes are not counted: read the model only if some are.
    model = _Model(uses if any(node.op in OPS for node in nodes) else ())
    found: list[int | None] = []
    for node in nodes:
        if node.op not in OPS:
            found.append(0)
            continue
        data = itertools.takewhile(lambda text: not text.startswith("^"), node.inputs)
        execution = Execution(
            [_input_shape(node, text, outputs, model) for text in data],
            [o.dims if o.dtype else None for o in node.outputs],
            model.equations.get(node.name, ""),
        )
        found.append(multiply_adds(node.op, execution))
    return found
