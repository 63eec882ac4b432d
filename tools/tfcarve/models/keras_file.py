"""Reads the configuration in a Keras file and the version of Keras that wrote it, within bounds.

Source of the formats: keras/src/saving/{saving_lib,legacy/legacy_h5_format}.py of Keras 3, and these modules of Keras 2.
"""

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.models.keras_config import UnsafeError

_CONFIGURATION, _METADATA = "config.json", "metadata.json"
# The configuration of NASNetMobile has 0.6 MB.
_MAX_CONFIGURATION = 64 << 20
_MAX_METADATA = 1 << 20
# Keras stores its data without compression. A file that claims many times its own size is an attack on the memory.
_EXPANDED_BYTES, _EXPANSION = 256 << 20, 100
_VERSION = re.compile(r"[\w.+-]{1,40}", re.ASCII)
# The errors that zipfile and h5py raise for damaged files.
DAMAGED = (
    OSError, EOFError, KeyError, RuntimeError, TypeError, ValueError, NotImplementedError, lzma.LZMAError, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip


class _Metadata(msgspec.Struct):
    keras_version: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration of a model.

    Attributes:
      text: JSON.
      version: the version of Keras that wrote it; "" if the file does not have it.
    """

    text: bytes
    version: str


def _require_size(what: str, size: int, stored: int) -> None:
    if size > _EXPANDED_BYTES and size > _EXPANSION * stored:
        raise UnsafeError(f"{what} claims {size:,} bytes, but only {stored:,} are stored")


def _version(text: str) -> str:
    if text and not _VERSION.fullmatch(text):
        raise UnsafeError(f"its keras_version {text[:40]!r} is not a version")
    return text


def _require_own_data(file: Any, stored: int) -> None:
    """Checks that all arrays of an HDF5 file are in the file itself, and have about the size of the file."""
    import h5py

    total = 0
    todo, seen = [file], set()
    while todo:
        group = todo.pop()
        address = h5py.h5o.get_info(group.id).addr
        if address in seen:
            continue
        seen.add(address)
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                raise UnsafeError(f"its {group.name}/{name} is a link to another place or file")
            member = group[name]
            if isinstance(member, h5py.Group):
                todo.append(member)
            elif isinstance(member, h5py.Dataset):
                if member.external or member.is_virtual:
                    raise UnsafeError(f"its array {member.name} is in another file")
                total += member.nbytes
    _require_size("it", total, stored)


def _member(archive: zipfile.ZipFile, name: str, limit: int) -> bytes:
    member = archive.getinfo(name)
    if member.file_size > limit:
        raise UnsafeError(
            f"its {name} has {member.file_size:,} bytes: at most {limit:,} are allowed"
        )
    return archive.read(member)


def _require_members(archive: zipfile.ZipFile) -> None:
    """Checks the names and sizes in an archive; reads nothing else."""
    names = archive.namelist()
    for member in archive.infolist():
        name = member.filename
        path = PurePosixPath(name.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in name:
            raise UnsafeError(f"it has a member outside of the archive: {name!r}")
        if names.count(name) > 1:
            raise UnsafeError(f"it has the member {name!r} more than once")
        _require_size(f"its member {name!r}", member.file_size, member.compress_size)
        if name.endswith(".npz"):
            raise UnsafeError("its weights are a NumPy .npz file, which may contain code")
    if _CONFIGURATION not in names:
        raise UnsafeError(f"it has no {_CONFIGURATION}, the configuration of a model")
    if not any(name.endswith(".h5") for name in names):
        raise UnsafeError("it has no model.weights.h5, the values of the model's variables")


def archive_configuration(archive: zipfile.ZipFile) -> Configuration:
    """Reads the configuration in a .keras archive; checks the members, and reads no weights.

    Raises:
      UnsafeError: a member is missing, has a name outside of the archive, or claims a size that it does not have.
      ValueError, OSError, …: the archive is damaged.
    """
    _require_members(archive)
    text = _member(archive, _CONFIGURATION, _MAX_CONFIGURATION)
    version = ""
    if _METADATA in archive.namelist():
        data = _member(archive, _METADATA, _MAX_METADATA)
        try:
            version = _version(json_codec.decode(data, _Metadata, f"its {_METADATA}").keras_version)
        except InvalidInput as error:
            raise UnsafeError(str(error)) from None
    return Configuration(text, version)


def _in_archive(path: Path) -> Configuration:
    import h5py

    with zipfile.ZipFile(path) as archive:
        found = archive_configuration(archive)
        for member in archive.infolist():
            if member.filename.endswith(".h5"):
                with archive.open(member) as stream, h5py.File(stream, "r") as file:
                    _require_own_data(file, member.file_size)
    return found


def _text(value: Any) -> bytes | None:
    return value.encode() if isinstance(value, str) else value if isinstance(value, bytes) else None


def _in_hdf5(path: Path) -> Configuration:
    import h5py

    with h5py.File(path, "r") as file:
        text = _text(file.attrs.get("model_config"))
        if text is None:
            raise UnsafeError("it contains weights but no model")
        _require_own_data(file, path.stat().st_size)
        version = _text(file.attrs.get("keras_version")) or b""
    return Configuration(text, _version(version.decode("utf-8", "replace")))


def _formats(path: Path) -> Iterator[str]:
    import h5py

    if zipfile.is_zipfile(path):
        yield "archive"
    if h5py.is_hdf5(path):
        yield "hdf5"


def configuration(path: Path) -> Configuration:
    """Reads the configuration in a Keras file. It needs h5py, which TensorFlow depends on.

    A damaged HDF5 file may end the process, or take forever: keras_check calls it in a process of its own.

    Raises:
      UnsafeError: it is not a Keras file, is damaged, claims sizes that it does not have, or refers to other files.
    """
    try:
        found = list(_formats(path))
        if not found:
            raise UnsafeError("it is neither a Keras archive nor HDF5")
        if len(found) > 1:
            raise UnsafeError("it is a Keras archive and HDF5 at once")
        return _in_archive(path) if found == ["archive"] else _in_hdf5(path)
    except UnsafeError:
        raise
    except DAMAGED as error:
        raise UnsafeError(f"it cannot be read: {error}") from None
