"""Values that the user gives to Placeholders (NAME=VALUE), as arrays of their types. Pure."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.graph.tensors import Array

# The ops of the nodes that can get a value.
PLACEHOLDERS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault"))
_BOOLS = {"true": True, "false": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
# The size limit of one value that is repeated to fill a shape, in bytes.
_MAX_FILLED = 1 << 28
_MAX_DIMENSIONS = 32


def split(options: Iterable[str]) -> dict[str, str]:
    """Returns the texts of values by name.

    Args:
      options: "NAME=VALUE"; NAME:0 means NAME.

    Raises:
      InvalidInput: there is no name or value, or a name is repeated.
    """
    found: dict[str, str] = {}
    for option in options:
        name, equals, text = option.partition("=")
        name = name.strip().removesuffix(":0")
        if not (name and equals and text.strip()):
            raise InvalidInput(
                f"--constant takes NAME=VALUE, for example keep_prob=1, not {option!r}"
            )
        if name in found:
            raise InvalidInput(f"--constant {name}: is passed twice: pass it once")
        found[name] = text
    return found


def require_placeholder(name: str, op: str | None, known: Iterable[str]) -> None:
    """Checks that a node can get a value.

    Args:
      name: the node's name.
      op: its op; None if it does not exist.
      known: the names that exist.

    Raises:
      InvalidInput: it does not exist, or is not a Placeholder. The message suggests the nearest names.
    """
    if op is None:
        raise InvalidInput(
            f"--constant {name}: is not a node of the graph{nearest(name, sorted(known))}"
        )
    if op not in PLACEHOLDERS:
        raise InvalidInput(f"--constant {name}: the node is a {op}: only Placeholders get a value")


def dims_of(node: NodeDef) -> list[int] | None:
    """Returns the shape of a Placeholder, with -1 for an unknown dimension; None if the rank is unknown."""
    if "shape" not in node.attr or node.attr["shape"].shape.unknown_rank:
        return None
    return [int(dim.size) for dim in node.attr["shape"].shape.dim]


def also_fed(name: str) -> InvalidInput:
    """Returns the error that a node with a value is an input, too."""
    return InvalidInput(f"--constant {name}: is also in --inputs: remove it from one of them")


def array(name: str, text: str, dtype: int, dims: Sequence[int] | None) -> Array:
    """Returns the value of a Placeholder.

    Args:
      name: of the Placeholder, for messages.
      text: a number, true, false or a string; a list is in JSON ("[[1, 2], [3, 4]]"). One value fills a known shape.
      dtype: the Placeholder's DataType.
      dims: its shape, with -1 for an unknown dimension; None if the rank is unknown.

    Raises:
      InvalidInput: the value has another type or shape, or is out of range.
    """
    known = dtypes.from_number(dtype) or f"DataType {dtype}"
    where = f"--constant {name}={_short(text)}"
    is_complex = tensors.has_numbers(dtype) and tensors.numpy_type(dtype).kind == "c"
    if is_complex or not (tensors.has_numbers(dtype) or dtype == tensors.STRING):
        raise InvalidInput(f"{where}: the Placeholder is of type {known}, which cannot be set")
    value = _value(text, dtype, where)
    shape, items = _flat(value, where)
    numpy_type = np.dtype(object) if dtype == tensors.STRING else tensors.numpy_type(dtype)
    listed = [_item(item, numpy_type, known, where) for item in items]
    created = np.empty(len(listed), numpy_type)
    created[:] = listed
    return _fitted(created.reshape(shape), dims, where)


def example(name: str, dtype: str, dims: Sequence[int] | None) -> str:
    """Returns an option for messages, such as "--constant keep_prob=1"; "" for a Placeholder that is not a scalar.

    Args:
      name: of the Placeholder.
      dtype: the name of its type.
      dims: its shape; None if the rank is unknown.
    """
    if dims or not (dtype == "bool" or dtype.startswith(("float", "int", "uint"))):
        return ""
    return f"--constant {name}={'false' if dtype == 'bool' else 1}"


def default_note(name: str, value: str) -> str:
    """Returns the note that an input with a default became a constant; `value` is "" for a value that is not a scalar."""
    shown = f" {value}" if value else ""
    return f"the input {name!r} became a constant, its default{shown}: to feed it, list all inputs with --inputs"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def _value(text: str, dtype: int, where: str) -> Any:
    stripped = text.strip()
    if stripped.startswith("["):
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            raise InvalidInput(f"{where}: is not a list in JSON, such as [1, 2]") from None
    if dtype == tensors.STRING:
        return text
    if stripped.lower() in _BOOLS:
        return _BOOLS[stripped.lower()]
    if _INTEGER.fullmatch(stripped):
        return int(stripped)
    try:
        return float(stripped)
    except ValueError:
        raise InvalidInput(f"{where}: is neither a number nor true, false or a list") from None


def _flat(value: Any, where: str) -> tuple[tuple[int, ...], list[Any]]:
    """Returns the shape of nested lists, and their items."""
    shape: list[int] = []
    level = [value]
    while level and isinstance(level[0], list):
        sizes = {len(item) if isinstance(item, list) else -1 for item in level}
        if len(sizes) > 1 or len(shape) == _MAX_DIMENSIONS:
            raise InvalidInput(
                f"{where}: its lists have different lengths or are nested too deeply"
            )
        shape.append(sizes.pop())
        level = [inner for item in level for inner in item]
    if any(isinstance(item, list) for item in level):
        raise InvalidInput(f"{where}: its lists have different lengths or are nested too deeply")
    return tuple(shape), level


def _item(item: Any, numpy_type: "np.dtype[Any]", known: str, where: str) -> Any:
    """Returns an item as a value of a type."""
    kind = numpy_type.kind
    if kind == "O":
        if isinstance(item, str):
            return item.encode()
    elif kind == "b":
        if isinstance(item, int) and item in (0, 1):  # bool is an int
            return bool(item)
    elif isinstance(item, int | float) and not isinstance(item, bool):
        return _number(item, numpy_type, known, where)
    raise InvalidInput(f"{where}: the Placeholder is of type {known}: {item!r} is not one")


def _number(item: float, numpy_type: "np.dtype[Any]", known: str, where: str) -> float:
    if numpy_type.kind != "f":
        if not isinstance(item, int):
            raise InvalidInput(f"{where}: the Placeholder is of type {known}: pass an integer")
        limits = np.iinfo(numpy_type)
        if not limits.min <= item <= limits.max:
            raise InvalidInput(
                f"{where}: is out of the range of {known}, {limits.min} to {limits.max}"
            )
        return item
    largest = float(np.finfo(numpy_type).max)
    if largest < abs(item) < math.inf:
        raise InvalidInput(f"{where}: is out of the range of {known}, ±{largest:g}")
    return item


def _text(dims: Iterable[int]) -> str:
    return f"[{', '.join('?' if size < 0 else str(size) for size in dims)}]"


def _mismatches(shape: Sequence[int], dims: Sequence[int]) -> Iterator[int]:
    yield from (size for size, dim in zip(shape, dims, strict=True) if 0 <= dim != size)


def _fitted(value: Array, dims: Sequence[int] | None, where: str) -> Array:
    """Returns `value`, repeated if it is a scalar and the shape is known; raises InvalidInput if it does not fit."""
    if dims is None:
        return value
    if not value.ndim and dims:
        if min(dims) < 0:
            raise InvalidInput(
                f"{where}: the Placeholder has the shape {_text(dims)}: pass a list of values"
            )
        if math.prod(dims) * value.itemsize > _MAX_FILLED:
            raise InvalidInput(f"{where}: the shape {_text(dims)} is too large to fill")
        return np.full(dims, value, value.dtype)
    if len(value.shape) != len(dims) or any(_mismatches(value.shape, dims)):
        raise InvalidInput(
            f"{where}: has the shape {_text(value.shape)}, but the Placeholder has the shape {_text(dims)}"
        )
    return value
