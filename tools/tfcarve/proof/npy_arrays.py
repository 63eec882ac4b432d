"""Arrays of models in .npy files. Strings are bytes objects in memory, and of type S in a file."""

import tokenize
from pathlib import Path
from typing import IO, Any

import numpy as np

from tfcarve.proof.difference import Array, type_name

# The kinds of types that .npy files can store: bools, numbers and strings.
_KINDS = "biufcSU"
_FORMAT: Any = np.lib.format


class ArrayError(Exception):
    """A .npy file cannot be read, or cannot store an array."""


def read(path: Path) -> Array:
    """Returns the array in a .npy file.

    Raises:
      ArrayError: it cannot be read, is not such a file, or has elements that are not numbers, bools or strings.
    """
    try:
        with path.open("rb") as stream:
            array: Array = _FORMAT.read_array(stream, allow_pickle=False)
    except OSError as error:
        raise ArrayError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, EOFError, SyntaxError, tokenize.TokenError, MemoryError):
        raise ArrayError(f"{path}: not a .npy file, or damaged: write it with numpy.save") from None
    if array.dtype.kind not in _KINDS:
        raise ArrayError(f"{path}: has type {array.dtype}: expected numbers, bools or strings")
    if array.dtype.kind == "U":
        array = np.char.encode(array, "utf-8")
    if array.dtype.kind == "S":
        return array.astype(object)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def write(target: Path | IO[bytes], name: str, array: Array) -> None:
    """Writes a tensor to a .npy file.

    Args:
      target: the path of the file, or a stream.
      name: of the tensor, for messages: "the output 'x'".
      array: its value.

    Raises:
      ArrayError: such a file cannot store it.
    """
    if array.dtype.kind == "O":
        if any(bytes(element).endswith(b"\0") for element in array.reshape(-1)):
            raise ArrayError(
                f"{name} has a string that ends with a zero byte, which .npy files do not store"
            )
        array = array.astype("S")
    if array.dtype.kind not in _KINDS:
        raise ArrayError(f"{name} has type {type_name(array.dtype)}, which .npy files lack")
    np.save(target, np.asarray(array, order="C"), allow_pickle=False)
