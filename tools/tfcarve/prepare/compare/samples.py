"""What two models are fed: arrays of a file, or random ones."""

import math
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.prepare import tensors
from tfcarve.prepare.evaluate import Output
from tfcarve.prepare.graph import Ref, nearest, ref
from tfcarve.prepare.messages import TensorProto
from tfcarve.prepare.tensors import Array

Sample = Mapping[Ref, TensorProto]

# So many bytes may a random array take.
_MOST = 1 << 28
_LONGEST_STRING = 8


def _shape_text(shape: Sequence[int] | None) -> str:
    if shape is None:
        return "any shape"
    return "[" + ", ".join("?" if size < 0 else str(size) for size in shape) + "]"


def _fits(shape: Sequence[int], wanted: Sequence[int]) -> bool:
    return len(shape) == len(wanted) and all(
        w in (-1, s) for s, w in zip(shape, wanted, strict=True)
    )


def _require_type(array: Array, name: str, output: Output) -> None:
    wanted = dtypes.from_number(output.dtype) or f"DataType {output.dtype}"
    if output.dtype == tensors.STRING:
        same = array.dtype == object
    else:
        same = tensors.has_numbers(output.dtype) and array.dtype == tensors.numpy_type(output.dtype)
    if not same:
        held = "strings" if array.dtype == object else str(array.dtype)
        raise InvalidInput(f"array {name!r} holds {held}: the model's input is {wanted}")


def _count(arrays: Mapping[Ref, Array], inputs: Mapping[Ref, Output]) -> int | None:
    """Returns how many samples the arrays hold one after the other; None where each array is one sample."""
    stacked = {
        source: len(array)
        for source, array in arrays.items()
        if array.ndim
        and (shape := inputs[source].shape) is not None
        and array.ndim == len(shape) + 1
    }
    if not stacked:
        return None
    counts = {len(array) if array.ndim else 0 for array in arrays.values()}
    if len(counts) > 1 or not min(counts):
        held = ", ".join(f"{s.text()} {list(a.shape)}" for s, a in arrays.items())
        raise InvalidInput(
            f"array {next(iter(stacked)).text()!r} holds several samples, so all have to hold as many: {held}"
        )
    return counts.pop()


def from_arrays(arrays: Mapping[str, Array], inputs: Mapping[Ref, Output]) -> list[Sample]:
    """Returns the samples in the arrays of a file.

    Args:
      arrays: by the names of inputs ("x", "x:0"), strings as bytes objects. One dimension more than the input has
        is for several samples.
      inputs: the inputs and what is known of them.

    Raises InvalidInput where an array is missing, is for no input, or is not of the input's type and shape.
    """
    named = {}
    for name, array in arrays.items():
        if ref(name) not in inputs:
            known = [source.text() for source in inputs]
            raise InvalidInput(
                f"array {name!r} is for no input{nearest(name, known)} The inputs are: {', '.join(known)}"
            )
        _require_type(array, name, inputs[ref(name)])
        named[ref(name)] = array
    for source in inputs:
        if source not in named:
            raise InvalidInput(
                f"there is no array for the input {source.text()!r}; there are: {', '.join(arrays)}"
            )
    count = _count(named, inputs)
    for source, array in named.items():
        shape, wanted = array.shape[count is not None :], inputs[source].shape
        if wanted is not None and not _fits(shape, wanted):
            raise InvalidInput(
                f"array {source.text()!r} is of shape {list(shape)}: the input takes {_shape_text(wanted)}"
            )
    if count is None:
        return [_tensors(named, inputs)]
    return [_tensors({s: a[i, ...] for s, a in named.items()}, inputs) for i in range(count)]


def _tensors(arrays: Mapping[Ref, Array], inputs: Mapping[Ref, Output]) -> Sample:
    return {s: tensors.from_array(a, inputs[s].dtype) for s, a in arrays.items()}


def random(
    inputs: Mapping[Ref, Output], limits: Mapping[Ref, int | None], count: int
) -> list[Sample]:
    """Returns `count` samples of random values, the same ones each time.

    Unknown dimensions are 1; floats are in [-1, 1), integers below their limit, else 0 and 1 (bytes: 0 to 255),
    strings are short words.

    Raises InvalidInput where an input is of a type that has no such values, or too large.
    """
    return [
        _tensors({s: _random(s, inputs[s], limits.get(s), number) for s in inputs}, inputs)
        for number in range(count)
    ]


def _random(source: Ref, output: Output, limit: int | None, number: int) -> Array:
    where = f"input {source.text()!r}"
    if output.dtype != tensors.STRING and not tensors.has_numbers(output.dtype):
        name = dtypes.from_number(output.dtype) or f"DataType {output.dtype}"
        raise InvalidInput(f"{where} is of type {name}, which can't be fed: name other --inputs")
    shape = tuple(max(size, 1) if size < 0 else size for size in output.shape or ())
    if math.prod(shape) * max(tensors.item_size(output.dtype), _LONGEST_STRING) > _MOST:
        raise InvalidInput(f"{where} takes {_shape_text(output.shape)}: too large: give its --data")
    chance = np.random.default_rng((zlib.crc32(source.text().encode()), number))
    if output.dtype == tensors.STRING:
        return _words(chance, shape)
    spelled = tensors.numpy_type(output.dtype)
    if spelled.kind in "fc":
        values = chance.uniform(-1, 1, shape)
        return np.asarray(
            values + (1j * chance.uniform(-1, 1, shape) if spelled.kind == "c" else 0)
        ).astype(spelled)
    if limit is None:
        limit = 256 if spelled == np.uint8 else 2
    most = limit if spelled.kind == "b" else min(limit, int(np.iinfo(spelled).max) + 1)
    return np.asarray(chance.integers(0, most, shape, dtype=np.uint64)).astype(spelled)


def _words(chance: np.random.Generator, shape: tuple[int, ...]) -> Array:
    found = np.empty(math.prod(shape), object)
    for i in range(found.size):
        letters = chance.integers(
            ord("a"), ord("z") + 1, int(chance.integers(1, _LONGEST_STRING + 1))
        )
        found[i] = bytes(letters.tolist())
    return found.reshape(shape)
