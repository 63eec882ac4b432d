"""Samples for two models: arrays from a file, or random values."""

import math
import zlib
from collections.abc import Mapping, Sequence

import numpy as np

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref, ref
from tfcarve.prepare.graph.messages import TensorProto
from tfcarve.prepare.graph.tensors import Array

Sample = Mapping[Ref, TensorProto]

# The size limit of a random array, in bytes.
_MAX_BYTES = 1 << 28
_MAX_STRING = 8


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
        actual = "string" if array.dtype == object else str(array.dtype)
        raise InvalidInput(f"array {name!r} is of type {actual}: the model's input is {wanted}")


def _count(arrays: Mapping[Ref, Array], inputs: Mapping[Ref, Output]) -> int | None:
    """Returns the number of samples that are stacked in the arrays, or None if each array is one sample."""
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
        actual = ", ".join(f"{s.text()} {list(a.shape)}" for s, a in arrays.items())
        raise InvalidInput(
            f"array {next(iter(stacked)).text()!r} has several samples, so all arrays need the same number: {actual}"
        )
    return counts.pop()


def from_arrays(arrays: Mapping[str, Array], inputs: Mapping[Ref, Output]) -> list[Sample]:
    """Returns the samples in the arrays of a file.

    Args:
      arrays: by input name ("x", "x:0"), strings as bytes objects. An array with one dimension more than the input
        has several samples.
      inputs: the inputs with their types and shapes.

    Raises InvalidInput if an array is missing, matches no input, or has another type or shape than the input.
    """
    named = {}
    for name, array in arrays.items():
        if ref(name) not in inputs:
            known = [source.text() for source in inputs]
            raise InvalidInput(
                f"array {name!r} matches no input{nearest(name, known) or '.'} The inputs are: {', '.join(known)}"
            )
        _require_type(array, name, inputs[ref(name)])
        named[ref(name)] = array
    for source in inputs:
        if source not in named:
            raise InvalidInput(
                f"there is no array for the input {source.text()!r}; the arrays are: {', '.join(arrays)}"
            )
    count = _count(named, inputs)
    for source, array in named.items():
        shape, wanted = array.shape[count is not None :], inputs[source].shape
        if wanted is not None and not _fits(shape, wanted):
            raise InvalidInput(
                f"array {source.text()!r} has the shape {list(shape)}: the input takes {_shape_text(wanted)}"
            )
    if count is None:
        return [_tensors(named, inputs)]
    return [_tensors({s: a[i, ...] for s, a in named.items()}, inputs) for i in range(count)]


def _tensors(arrays: Mapping[Ref, Array], inputs: Mapping[Ref, Output]) -> Sample:
    return {s: tensors.from_array(a, inputs[s].dtype) for s, a in arrays.items()}


def random(
    inputs: Mapping[Ref, Output], limits: Mapping[Ref, int | None], count: int
) -> list[Sample]:
    """Returns `count` samples of random values. Each call returns the same values.

    Unknown dimensions are 1. Floats are in [-1, 1). Integers are below their limit, or without one 0 or 1 (bytes: 0 to
    255). Strings are short words.

    Raises InvalidInput if an input is too large or of a type that can't be fed.
    """
    return [
        _tensors({s: _random(s, inputs[s], limits.get(s), number) for s in inputs}, inputs)
        for number in range(count)
    ]


def _random(source: Ref, output: Output, limit: int | None, number: int) -> Array:
    where = f"input {source.text()!r}"
    if output.dtype != tensors.STRING and not tensors.has_numbers(output.dtype):
        name = dtypes.from_number(output.dtype) or f"DataType {output.dtype}"
        raise InvalidInput(f"{where} is of type {name}, which can't be fed: pass other --inputs")
    shape = tuple(max(size, 1) if size < 0 else size for size in output.shape or ())
    if math.prod(shape) * max(tensors.item_size(output.dtype), _MAX_STRING) > _MAX_BYTES:
        raise InvalidInput(
            f"{where} takes {_shape_text(output.shape)}: too large for random values: pass --data"
        )
    chance = np.random.default_rng((zlib.crc32(source.text().encode()), number))
    if output.dtype == tensors.STRING:
        return _words(chance, shape)
    numpy_dtype = tensors.numpy_type(output.dtype)
    if numpy_dtype.kind in "fc":
        values = chance.uniform(-1, 1, shape)
        return np.asarray(
            values + (1j * chance.uniform(-1, 1, shape) if numpy_dtype.kind == "c" else 0)
        ).astype(numpy_dtype)
    if limit is None:
        limit = 256 if numpy_dtype == np.uint8 else 2
    most = limit if numpy_dtype.kind == "b" else min(limit, int(np.iinfo(numpy_dtype).max) + 1)
    return np.asarray(chance.integers(0, most, shape, dtype=np.uint64)).astype(numpy_dtype)


def _words(chance: np.random.Generator, shape: tuple[int, ...]) -> Array:
    found = np.empty(math.prod(shape), object)
    for i in range(found.size):
        letters = chance.integers(ord("a"), ord("z") + 1, int(chance.integers(1, _MAX_STRING + 1)))
        found[i] = bytes(letters.tolist())
    return found.reshape(shape)
