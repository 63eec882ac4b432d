"""The files of checkpoints, and the checkpoint that a path names.

Sources: tensorflow/core/util/tensor_bundle/naming.cc (PREFIX.index, PREFIX.data-*), tensorflow/core/lib/io/format.h (an index, and
a file of format V1, is a table), tensorflow/python/checkpoint/checkpoint_state.proto.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tfcarve import listing
from tfcarve.errors import InvalidInput
from tfcarve.models import sorted_table, text_format, wire
from tfcarve.models.text_format import Field, Message
from tfcarve.nearest import nearest

# Bytes of the magic number at the end of a table.
TAIL = len(sorted_table.MAGIC)
_INDEX = ".index"
_SUFFIX = re.compile(r"(?:\.index|\.meta|\.data-\d{5}-of-\d{5})\Z")
_STATE_FILE = "checkpoint"
_STATE_START = re.compile(rb"\s*model_checkpoint_path\s*:")
_STATE = Message(
    "CheckpointState",
    {b"model_checkpoint_path": Field(1, "string")},
    frozenset((
        b"all_model_checkpoint_paths", b"all_model_checkpoint_timestamps", b"last_preserved_timestamp",
    )),
)  # fmt: skip
_MAX_STATE = 1 << 20
_HDF5 = b"\x89HDF"


def without_suffix(path: Path) -> Path:
    """Returns the prefix of a checkpoint's file: `m` for `m.index`, `m.meta` and `m.data-00000-of-00001`."""
    return path.with_name(_SUFFIX.sub("", path.name) or path.name)


def is_part(path: Path, head: bytes, tail: bytes) -> bool:
    """Returns whether a file belongs to a checkpoint and has no graph.

    Args:
      path: the file.
      head: its first bytes.
      tail: its last TAIL bytes.
    """
    if path.suffix.startswith(".data-") and _SUFFIX.search(path.name):
        return True
    return tail == sorted_table.MAGIC or bool(_STATE_START.match(head))


def is_index(path: Path) -> bool:
    """Returns whether a file is the index of a checkpoint, by its name."""
    return path.suffix == _INDEX and path.is_file()


def files(prefix: Path) -> Iterator[Path]:
    """Yields the files of a checkpoint; of format V1 it is one file."""
    for path in sorted(prefix.parent.iterdir()) if prefix.parent.is_dir() else ():
        is_value = path == prefix or (without_suffix(path) == prefix and path.suffix != ".meta")
        if is_value and path.is_file():
            yield path


def _ends(path: Path) -> tuple[bytes, bytes]:
    """Returns the first and last bytes of a file."""
    with path.open("rb") as stream:
        head = stream.read(64)
        stream.seek(max(0, path.stat().st_size - TAIL))
        return head, stream.read(TAIL)


def _prefixes(folder: Path) -> list[str]:
    """Returns the names of the checkpoints in a folder."""
    names = [path.name for path in folder.iterdir() if path.is_file()]
    found = {name.removesuffix(_INDEX) for name in names if name.endswith(_INDEX)}
    others = (name for name in names if not _SUFFIX.search(name))
    return sorted(
        found | {name for name in others if _ends(folder / name)[1] == sorted_table.MAGIC}
    )


def _listed(folder: Path, names: list[str]) -> str:
    return listing.first([str(folder / name) for name in names])


def latest(data: bytes) -> str:
    """Returns the path of the latest checkpoint in the content of a file `checkpoint`; "" if it names none.

    Raises:
      InvalidInput: the content is not a CheckpointState.
    """
    try:
        binary = text_format.to_wire(data, _STATE)
        paths = [wire.text(binary, a, b) for _, _, a, b in wire.fields(binary, 0, len(binary))]
    except (text_format.TextError, wire.WireError) as error:
        raise InvalidInput(str(error)) from None
    return paths[-1] if paths else ""


def _named(state: Path) -> Path:
    """Returns the latest checkpoint according to a folder's file `checkpoint`."""
    folder = state.parent
    if state.stat().st_size > _MAX_STATE:
        raise InvalidInput(f"checkpoint {state}: has more than {_MAX_STATE:,} bytes")
    try:
        name = latest(state.read_bytes())
    except InvalidInput as error:
        raise InvalidInput(f"checkpoint {state}: {error}") from None
    found = folder / name
    there = _prefixes(folder)
    fix = f"pass one of {_listed(folder, there)}" if there else "the folder has no checkpoint"
    if not name or not found.resolve().is_relative_to(folder.resolve()):
        where = f"{name!r}, which is not in its folder" if name else "no checkpoint"
        raise InvalidInput(f"checkpoint {state}: it names {where}: {fix}")
    if not any(files(found)):
        raise InvalidInput(f"checkpoint {state}: it names {name!r}, which does not exist: {fix}")
    return found


def _in_folder(folder: Path) -> Path:
    state = folder / _STATE_FILE
    if state.is_file() and _STATE_START.match(_ends(state)[0]):
        return _named(state)
    there = _prefixes(folder)
    if len(there) == 1:
        return folder / there[0]
    inner = folder / "variables" / "variables"
    if not there and any(files(inner)):
        return inner
    raise InvalidInput(
        f"checkpoint {folder}: the folder has "
        + (
            f"{len(there)} checkpoints and no file {_STATE_FILE!r}: pass one of {_listed(folder, there)}"
            if there
            else f"no checkpoint: pass the prefix of PREFIX{_INDEX}"
        )
    )


def prefix(path: Path) -> Path:
    """Returns the prefix of the checkpoint that a path means.

    Args:
      path: a prefix, one of the checkpoint's files or its graph (PREFIX.meta), a folder, or its file `checkpoint`. A folder and
        its file `checkpoint` mean the checkpoint that the file names, or the only checkpoint in the folder.

    Raises:
      InvalidInput: there is no such checkpoint, there are several, or the file `checkpoint` names a checkpoint in another folder.
    """
    try:
        return _prefix(path)
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        raise InvalidInput(f"checkpoint {path}: cannot be read: {error}") from None


def _prefix(path: Path) -> Path:
    if path.name and index_of(path).is_file():
        return path
    if path.is_dir():
        return _in_folder(path)
    found = without_suffix(path)
    if found != path and (found.is_file() or index_of(found).is_file()):
        return found
    if found == path and path.is_file():
        head, _ = _ends(path)
        if head.startswith(_HDF5):
            raise InvalidInput(
                f"checkpoint {path}: is an HDF5 file, not a checkpoint of TensorFlow: load it into the model in Python "
                "(load_weights), and save the whole model (model.save)"
            )
        return _named(path) if _STATE_START.match(head) else path
    if path.is_file():
        raise InvalidInput(
            f"checkpoint {path}: {index_of(found)} is missing: a checkpoint has PREFIX{_INDEX} and all PREFIX.data-*"
        )
    there = _prefixes(path.parent) if path.parent.is_dir() else []
    raise InvalidInput(
        f"checkpoint {path}: neither this file nor {index_of(found)} exists{nearest(found.name, there)}"
    )


def index_of(prefix: Path) -> Path:
    """Returns the path of the index of a checkpoint of format V2."""
    return prefix.with_name(f"{prefix.name}{_INDEX}")
