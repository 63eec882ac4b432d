"""The functions of a SavedModel of TensorFlow 2, which may have no signatures: their names, inputs and outputs.

The name of a function is its path from the model: `__call__`, `encoder.call`. If it was traced for several inputs, `call@0` is
its first concrete function. Each concrete function also has its name in the graph.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tfcarve.json_codec import JsonDocument
from tfcarve.models.node_names import Names
from tfcarve.models.object_graph import ObjectGraph, SavedObject
from tfcarve.models.signature_def import shape_text
from tfcarve.models.structured_value import Leaf
from tfcarve.printable import printable

# Deeper objects are not searched, and longer lists are cut.
_MAX_DEPTH = 32
_MAX_LISTED = 20
# An upper bound of the memory of a name, without its text.
_NAME = 300


class FunctionError(ValueError):
    """A name means several functions; the text lists them."""


class FunctionTensor(JsonDocument, frozen=True):
    """An input or output. Of the parts of a composite tensor, dtype and shape are unknown: "" and None."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Function:
    """A concrete function.

    Attributes:
      name: the name that `--signature` takes.
      path: the local names that lead to its function from the model.
      index: its place among the concrete functions of its function.
      concrete: its name in the graph's library.
      captures: the objects that it captures, whose tensors are its last arguments.
      inputs: its other arguments, in their order.
      outputs: its results, in their order.
      arguments: the arguments of its Python code as text.
    """

    name: str
    path: tuple[str, ...]
    index: int
    concrete: str
    captures: tuple[int, ...]
    inputs: tuple[FunctionTensor, ...]
    outputs: tuple[FunctionTensor, ...]
    arguments: str

    def text(self) -> str:
        """Returns the function with its arguments as text."""
        return f"{self.name}({self.arguments})"


@dataclass(frozen=True, slots=True)
class _Place:
    path: tuple[str, ...]
    found: SavedObject


def _places(graph: ObjectGraph) -> Mapping[str, _Place]:
    """Returns the functions by name, the nearest to the model first."""
    places: dict[str, _Place] = {}
    seen = {0}
    todo: deque[tuple[int, tuple[str, ...]]] = deque([(0, ())] if graph.objects else [])
    while todo:
        number, path = todo.popleft()
        for local, child in graph.objects[number].children.items():
            found, below = graph.objects[child], (*path, local)
            name = ".".join(below)
            graph.budget.take(_NAME + 2 * len(name))
            if graph.concrete_functions(found):
                places.setdefault(name, _Place(below, found))
            elif child not in seen and len(below) < _MAX_DEPTH and not graph.is_signatures(found):
                seen.add(child)
                todo.append((child, below))
    return places


def _is_public(path: Iterable[str]) -> bool:
    return all(name == "__call__" or not name.startswith("_") for name in path)


def _tensors(leaves: Iterable[tuple[str, Leaf]]) -> tuple[FunctionTensor, ...]:
    names = Names(())
    found = []
    for name, leaf in leaves:
        if leaf.text:  # a composite tensor, or no tensor
            parts = [FunctionTensor(f"{name}/{n}", "", None) for n in range(leaf.tensors)]
        else:
            parts = [FunctionTensor(name, leaf.dtype, leaf.shape)]
        found += [FunctionTensor(names.unique(p.name), p.dtype, p.shape) for p in parts]
    return tuple(found)


def _input_name(leaf: Leaf, arguments: tuple[str, ...]) -> str:
    """Returns the name of an argument; its path begins with 0 and its position, or with 1 and its keyword."""
    if leaf.name:
        return leaf.name
    first, *rest = leaf.path[1:] or (0,)
    if isinstance(first, int):
        first = arguments[first] if first < len(arguments) else f"arg_{first}"
    return "_".join([first, *map(str, rest)])


def _output_name(leaf: Leaf) -> str:
    first, *rest = leaf.path or (0,)
    start = f"output_{first}" if isinstance(first, int) else first
    return "_".join([start, *map(str, rest)])


def _argument(name: str, leaf: Leaf) -> str:
    if leaf.text:
        return f"{name}: {leaf.text}" if leaf.tensors else f"{name}={leaf.text}"
    return f"{name}: {leaf.dtype} {shape_text(leaf.shape)}"


def _function(graph: ObjectGraph, name: str, place: _Place, index: int) -> Function:
    concretes = graph.concrete_functions(place.found)
    read = graph.concrete_function(concretes[index])
    arguments = graph.argument_names(place.found)
    inputs = [(_input_name(leaf, arguments), leaf) for leaf in read.inputs]
    outputs = [(_output_name(leaf), leaf) for leaf in read.outputs]
    return Function(
        name if len(concretes) == 1 else f"{name}@{index}",
        place.path,
        index,
        read.name,
        read.captures,
        _tensors(inputs),
        _tensors(outputs),
        ", ".join(_argument(name, leaf) for name, leaf in inputs),
    )


def functions(graph: ObjectGraph) -> Iterator[Function]:
    """Yields the public functions, the nearest to the model first. A function with several names comes once.

    Raises:
      wire.WireError: one is damaged.
    """
    seen: set[tuple[str, ...]] = set()
    for name, place in _places(graph).items():
        concretes = graph.concrete_functions(place.found)
        if _is_public(place.path) and concretes not in seen:
            seen.add(concretes)
            for index in range(len(concretes)):
                yield _function(graph, name, place, index)


def listed(found: Iterable[Function]) -> str:
    """Returns functions as lines of text. The last line may be the number of other functions."""
    lines: list[str] = []
    more = 0
    for function in found:
        if len(lines) < _MAX_LISTED:
            lines.append(f"  {printable(function.text())}")
        else:
            more += 1
    return "\n".join([*lines, *([f"  and {more:,} more"] if more else [])])


def find(graph: ObjectGraph, text: str) -> Function | None:
    """Returns the function that `text` names, which may be private, or None.

    Raises:
      FunctionError: it names several concrete functions.
      wire.WireError: it is damaged.
    """
    places = _places(graph)
    if text in places:
        place = places[text]
        count = len(graph.concrete_functions(place.found))
        if count == 1:
            return _function(graph, text, place, 0)
        each = (_function(graph, text, place, index) for index in range(count))
        raise FunctionError(
            f"the function {text!r} has {count} traces: pass one of them:\n{listed(each)}"
        )
    name, _, number = text.rpartition("@")
    if name in places and number.isascii() and number.isdecimal():
        place = places[name]
        if len(number) < 10 and int(number) < len(graph.concrete_functions(place.found)):
            return _function(graph, name, place, int(number))
    for name, place in places.items():
        concretes = graph.concrete_functions(place.found)
        if text in concretes:
            return _function(graph, name, place, concretes.index(text))
    return None
