"""Converts between TensorProto and numpy arrays in bounded memory.

Source of the format: Tensor::FromProto in tensorflow/core/framework/tensor.cc. The values are in tensor_content, or in
the repeated field of their type, whose last value is repeated for all missing ones.
"""

import math
from types import MappingProxyType
from typing import Any

import numpy as np

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph.messages import TensorProto

Array = np.ndarray[Any, np.dtype[Any]]

# The size limit of values that are expanded from fewer values in the file, in bytes.
_MAX_EXPANDED = 1 << 28
# The limits of a numpy array.
_MAX_DIMENSIONS = 32
_MAX_ELEMENTS = (1 << 63) // 16 - 1
# A tensor of at least this size with one repeated value is written as that value.
_MIN_SPLAT = 64
STRING = 7
_HALF, _BFLOAT16 = 19, 14
# The least memory of a string in a tensor, in bytes.
_MIN_STRING = 8

_NUMPY = MappingProxyType(
    {
        1: "<f4",
        2: "<f8",
        3: "<i4",
        4: "u1",
        5: "<i2",
        6: "i1",
        8: "<c8",
        9: "<i8",
        10: "?",
        11: "i1",
        12: "u1",
        13: "<i4",
        15: "<i2",
        16: "<u2",
        17: "<u2",
        18: "<c16",
        19: "<f2",
        22: "<u4",
        23: "<u8",
    }
)
_LISTS = MappingProxyType(
    {
        1: "float_val",
        2: "double_val",
        9: "int64_val",
        10: "bool_val",
        22: "uint32_val",
        23: "uint64_val",
    }
)
# The fields whose values are not plain numbers; a complex number is two of them.
_OTHER_LISTS = MappingProxyType(
    {
        STRING: "string_val",
        8: "scomplex_val",
        _BFLOAT16: "half_val",
        18: "dcomplex_val",
        _HALF: "half_val",
    }
)
_COMPLEX = frozenset((8, 18))
_QUANTIZED = frozenset((11, 12, 13, 15, 16))
_NUMBERS: MappingProxyType[np.dtype[Any], int] = MappingProxyType(
    {np.dtype(numpy_dtype): n for n, numpy_dtype in _NUMPY.items() if n not in _QUANTIZED}
)


def has_numbers(dtype: int) -> bool:
    """Returns whether tensors of DataType `dtype` can be converted to numeric arrays."""
    return dtype in _NUMPY


def numpy_type(dtype: int) -> np.dtype[Any]:
    """Returns the numpy dtype for a DataType for which has_numbers is true."""
    return np.dtype(_NUMPY[dtype])


def item_size(dtype: int) -> int:
    """Returns the size of a value of DataType `dtype` in bytes, or 0 if it is variable or unknown."""
    if dtype == _BFLOAT16:
        return 2
    return np.dtype(_NUMPY[dtype]).itemsize if dtype in _NUMPY else 0


def shape(tensor: TensorProto, where: str) -> tuple[int, ...]:
    """Returns a tensor's shape; `where` is the node's name, for messages.

    Raises InvalidInput if the shape is unknown or too large for a numpy array.
    """
    dims = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if tensor.tensor_shape.unknown_rank or any(size < 0 for size in dims):
        raise InvalidInput(
            f"node {where!r}: the shape of its constant is unknown: the file is damaged"
        )
    # numpy rejects too many elements even if another dimension is 0.
    if len(dims) > _MAX_DIMENSIONS or math.prod(filter(None, dims)) > _MAX_ELEMENTS:
        raise InvalidInput(
            f"node {where!r}: its constant has too many dimensions or elements: {len(dims)} dimensions, the largest is "
            f"{max(dims):,}"
        )
    return dims


def check_size(tensor: TensorProto, where: str) -> None:
    """Checks that the values of a tensor match its shape, and that few values do not expand to very many.

    Raises InvalidInput, with `where`, the node's name, otherwise.
    """
    count = math.prod(shape(tensor, where))
    size = item_size(tensor.dtype)
    content = len(tensor.tensor_content)
    if not size and tensor.dtype != STRING:  # the size of its values is unknown
        _require_few(count, 1, content, where)
    elif content and size:
        _require_content(content, count, size, where)
    else:
        stored = _stored(tensor)
        _require_at_most(stored, count, where)
        _require_few(count, size or _MIN_STRING, stored, where)


def _stored(tensor: TensorProto) -> int:
    """Returns the number of values in the repeated field of a tensor's type."""
    number = tensor.dtype
    name = _LISTS.get(number) or _OTHER_LISTS.get(number, "int_val")
    return len(getattr(tensor, name)) // (2 if number in _COMPLEX else 1)


def _require_content(content: int, count: int, size: int, where: str) -> None:
    if content != count * size:
        raise InvalidInput(
            f"node {where!r}: its constant of {count} values of {size} bytes has {content} bytes: the file is damaged"
        )


def _require_at_most(stored: int, count: int, where: str) -> None:
    if stored > count:
        raise InvalidInput(
            f"node {where!r}: its constant of {count} values has {stored}: the file is damaged"
        )


def to_array(tensor: TensorProto, where: str) -> Array:
    """Returns the values of a tensor as a read-only array; strings as an array of bytes objects.

    Raises InvalidInput, with `where`, the node's name, if the values do not match the shape, are too many, or have a
    type that numpy does not support.
    """
    dims = shape(tensor, where)
    count = math.prod(dims)
    if tensor.dtype == STRING:
        return _strings(tensor, dims, count, where)
    if tensor.dtype not in _NUMPY:
        name = dtypes.from_number(tensor.dtype) or f"DataType {tensor.dtype}"
        raise InvalidInput(
            f"node {where!r}: its constant is of type {name}, which tfcarve cannot compute with"
        )
    numpy_dtype = np.dtype(_NUMPY[tensor.dtype])
    content = tensor.tensor_content
    if content:
        _require_content(len(content), count, numpy_dtype.itemsize, where)
        return np.frombuffer(content, numpy_dtype).reshape(dims)
    return _from_list(tensor, numpy_dtype, dims, count, where)


def _require_few(count: int, size: int, stored: int, where: str) -> None:
    if count > stored and count * size > _MAX_EXPANDED:
        raise InvalidInput(
            f"node {where!r}: its constant expands from {stored} to {count} values, which is too large"
        )


def _from_list(
    tensor: TensorProto, numpy_dtype: np.dtype[Any], dims: tuple[int, ...], count: int, where: str
) -> Array:
    number = tensor.dtype
    if number in _COMPLEX:
        parts: Any = tensor.scomplex_val if number == 8 else tensor.dcomplex_val  # type: ignore[attr-defined]
        real = np.dtype("<f4" if number == 8 else "<f8")
        values = np.array(parts[: len(parts) // 2 * 2], real).view(numpy_dtype)
    elif number == _HALF:
        bits = np.array(tensor.half_val, np.uint32)  # type: ignore[attr-defined]
        values = bits.astype(np.uint16).view(numpy_dtype)
    else:
        stored_dtype = np.dtype(np.int32) if number not in _LISTS else numpy_dtype
        values = np.array(getattr(tensor, _LISTS.get(number, "int_val")), stored_dtype).astype(
            numpy_dtype
        )
    _require_at_most(len(values), count, where)
    _require_few(count, numpy_dtype.itemsize, len(values), where)
    if not len(values):
        return np.zeros(dims, numpy_dtype)
    if len(values) < count:
        values = np.concatenate([values, np.full(count - len(values), values[-1])])
    return values.reshape(dims)


def _strings(tensor: TensorProto, dims: tuple[int, ...], count: int, where: str) -> Array:
    values = list(tensor.string_val)
    _require_at_most(len(values), count, where)
    _require_few(count, _MIN_STRING, len(values), where)
    found = np.empty(count, object)
    found[:] = values + [values[-1] if values else b""] * (count - len(values))
    return found.reshape(dims)


def number_of(array: Array) -> int:
    """Returns the DataType of an array; raises TypeError if TensorFlow has no such type."""
    if array.dtype == object:
        return STRING
    try:
        return _NUMBERS[array.dtype.newbyteorder("<")]
    except KeyError:
        raise TypeError(f"TensorFlow has no type for {array.dtype}") from None


def from_array(array: Array, dtype: int | None = None) -> TensorProto:
    """Returns a tensor with the values of `array`; `dtype` is needed if the array's own is ambiguous (qint8)."""
    tensor = TensorProto()
    fill(tensor, array, dtype)
    return tensor


def fill(tensor: TensorProto, array: Array, dtype: int | None = None) -> None:
    """Sets the values of a new tensor to `array`; `dtype` is needed if the array's own type is ambiguous (qint8)."""
    number = number_of(array) if dtype is None else dtype
    tensor.dtype = number
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)
    if number == STRING:
        tensor.string_val.extend(array.reshape(-1).tolist())
        return
    data = np.ascontiguousarray(array, _NUMPY[number]).reshape(array.shape)
    value = _only_value(data)
    if value is not None and number in _LISTS:
        getattr(tensor, _LISTS[number]).append(value)
    elif value is not None and number not in _COMPLEX | {_HALF}:
        tensor.int_val.append(int(value))  # type: ignore[attr-defined]
    else:
        tensor.tensor_content = data.tobytes()


def _only_value(array: Array) -> Any:
    """Returns the value of all elements as a Python number, or None if they differ or are few.

    Elements are compared bitwise: -0.0 is not 0.0, and NaN is NaN.
    """
    if array.size == 1:
        return array.reshape(-1)[0].item()
    if array.nbytes < _MIN_SPLAT or array.dtype.kind == "c":
        return None
    bits = array.reshape(-1).view(f"u{array.dtype.itemsize}")
    if not (bits == bits[0]).all():
        return None
    return array.reshape(-1)[0].item()
