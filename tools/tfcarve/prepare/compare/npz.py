"""Reads the arrays of an .npz file in bounded memory, without unpickling.

Source of the format: the documentation of numpy.lib.format.
"""

import math
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.models import other_formats
from tfcarve.prepare.graph.tensors import Array

_FORMAT: Any = np.lib.format
# The size limit of all arrays of a file together, in bytes.
_MAX_BYTES = 1 << 30
_SUFFIX = ".npy"
# The errors that zipfile and numpy raise for a damaged file; RuntimeError for an encrypted file.
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, ValueError, EOFError),
    *(NotImplementedError, RuntimeError, SyntaxError, tokenize.TokenError, MemoryError),
)


def _array(stream: IO[bytes], size: int, where: str) -> Array:
    version = _FORMAT.read_magic(stream)
    if version == (1, 0):
        shape, fortran, dtype = _FORMAT.read_array_header_1_0(stream)
    elif version == (2, 0):
        shape, fortran, dtype = _FORMAT.read_array_header_2_0(stream)
    else:
        raise InvalidInput(
            f"{where}: version {version} is not supported: write the file with numpy.savez"
        )
    if dtype.kind not in "biufcSU":
        raise InvalidInput(
            f"{where}: has dtype {dtype}: expected numbers, bools or strings (dtype S or U)"
        )
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize > size:
        raise InvalidInput(
            f"{where}: shape {list(shape)} does not fit in {size} bytes: the file is damaged"
        )
    data = stream.read(math.prod(shape) * dtype.itemsize)
    read = np.frombuffer(data, dtype) if data else np.zeros(0, dtype)
    return _plain(read.reshape(shape, order="F" if fortran else "C"))


def _plain(array: Array) -> Array:
    """Converts strings to bytes objects and numbers to little-endian."""
    if array.dtype.kind not in "SU":
        return array.astype(array.dtype.newbyteorder("<"), copy=False)
    texts = [t.encode() if isinstance(t, str) else t for t in array.reshape(-1).tolist()]
    found = np.empty(len(texts), object)
    found[:] = texts
    return found.reshape(array.shape)


def arrays(stream: IO[bytes], where: str) -> dict[str, Array]:
    """Returns the arrays of an .npz file by name; strings are arrays of bytes objects.

    Args:
      stream: the file.
      where: the file's name, for messages.

    Raises:
      InvalidInput: the file is not an .npz file, is damaged, is larger than 1 GiB or contains objects.
    """
    try:
        with zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > _MAX_BYTES:
                raise InvalidInput(
                    f"{where}: contains more than {_MAX_BYTES >> 20} MiB: use fewer samples"
                )
            found = {}
            for member in members:
                name = member.filename.removesuffix(_SUFFIX)
                if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidInput(
                        f"{where}: array {name!r}: unsupported compression: write the file with numpy.savez"
                    )
                with archive.open(member) as content:
                    found[name] = _array(content, member.file_size, f"{where}: array {name!r}")
    except _DAMAGED as error:
        raise InvalidInput(f"{where}: cannot be read as an .npz file: {error}") from None
    return found


def read_arrays(path: Path) -> dict[str, Array]:
    """Returns the arrays of the .npz file at `path`; raises the errors of `arrays`, and InvalidInput if the file does not exist."""
    try:
        with path.open("rb") as stream:
            other_formats.require_no_lfs_pointer(path)
            return arrays(stream, str(path))
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file: create it with numpy.savez") from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}") from None
