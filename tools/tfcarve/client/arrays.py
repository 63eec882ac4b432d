"""The values of tensors that a library computes with: arrays, .npy files, and the random values of benchmark_model. Pure."""

import ast
import math
import random
import struct
from dataclasses import dataclass

from tfcarve import dtypes
from tfcarve.errors import InvalidInput

Shape = tuple[int, ...]
# The types that benchmark_model generates random values of (tools/runtime/programs/random_input.cc).
RANDOM_TYPES = frozenset(
    (
        *("float16", "float32", "float64", "bool"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    )
)
_MAGIC = b"\x93NUMPY"
_MAX_BYTES = 1 << 31
_MAX_HEADER = 1 << 16

# NumPy's type descriptors -> TensorFlow's names and element sizes. tools/runtime/programs/npy.cc has this table too.
_NPY_TYPES = {
    "<f4": ("float32", 4),
    "<f8": ("float64", 8),
    "<f2": ("float16", 2),
    "|b1": ("bool", 1),
    "|i1": ("int8", 1),
    "<i2": ("int16", 2),
    "<i4": ("int32", 4),
    "<i8": ("int64", 8),
    "|u1": ("uint8", 1),
    "<u2": ("uint16", 2),
    "<u4": ("uint32", 4),
    "<u8": ("uint64", 8),
    "<c8": ("complex64", 8),
    "<c16": ("complex128", 16),
}
_SIZES = dict(_NPY_TYPES.values())


@dataclass(frozen=True, slots=True)
class Array:
    """The number of TensorFlow's data type, the shape, and the elements in C order, little-endian."""

    dtype: int
    dims: Shape
    data: bytes


def parse_npy(content: bytes, where: str) -> Array:
    """Reads a .npy file of version 1 or 2; raises InvalidInput if it is malformed or cannot be an input."""
    width = {1: 2, 2: 4}.get(content[6], 0) if len(content) > 8 else 0
    if not content.startswith(_MAGIC) or not width:
        raise InvalidInput(f"{where}: not a .npy file of version 1 or 2, or truncated")
    start = 8 + width
    end = start + int.from_bytes(content[8:start], "little")
    try:
        if end - start > _MAX_HEADER:
            raise ValueError
        header = ast.literal_eval(content[start:end].decode("latin-1").strip())
        name, fortran, dims = header["descr"], header["fortran_order"], tuple(header["shape"])
        dtype, size = _NPY_TYPES[name]
        if fortran or not all(type(d) is int and d >= 0 for d in dims):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise InvalidInput(
            f"{where}: the .npy header is malformed, or describes an array that cannot be an input"
        ) from None
    data = content[end:]
    if math.prod(dims) * size != len(data):
        raise InvalidInput(
            f"{where}: the array's shape does not fit the {len(data)} bytes of elements"
        )
    return Array(dtypes.NUMBER_OF[dtype], dims, data)


def _generator() -> random.Random:
    """Returns the generator std::mt19937(1) of the C++ standard."""
    state = [1]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + i) & 0xFFFFFFFF)
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    return generator


def _element(dtype: str, size: int, bits: int) -> bytes:
    match dtype:
        case "float32":
            return struct.pack("<f", (bits >> 8) / (1 << 24))
        case "float64":
            return struct.pack("<d", bits / (1 << 32))
        case "float16":
            return struct.pack("<H", 0x3800 | bits >> 22)
        case "uint8":
            return bytes([bits >> 24])
        case _:
            return (bits >> 31).to_bytes(size, "little")


def random_input(description: str) -> Array:
    """Returns the random values that tools/runtime/programs/random_input.cc generates; raises InvalidInput if the description is invalid."""
    dtype, colon, text = description.partition(":")
    words = text.split("x") if text else []
    if not colon or dtype not in RANDOM_TYPES:
        raise InvalidInput(
            f"{description!r} is not TYPE:DIMS like float32:1x299x299x3; the types are: "
            + " ".join(sorted(RANDOM_TYPES))
        )
    size = _SIZES[dtype]
    if not all(w.isascii() and w.isdecimal() and len(w) <= 10 for w in words) or (
        math.prod(map(int, words)) * size > _MAX_BYTES
    ):
        raise InvalidInput(
            f"{description!r}: dimensions must be numbers separated by x, and the array at most 2 GB"
        )
    dims = tuple(map(int, words))
    generator = _generator()
    count = math.prod(dims)
    data = b"".join(_element(dtype, size, generator.getrandbits(32)) for _ in range(count))
    return Array(dtypes.NUMBER_OF[dtype], dims, data)
