"""Reads the names and types of the tensors in a checkpoint.

Sources: tensorflow/core/protobuf/tensor_bundle.proto, tensorflow/core/util/tensor_bundle/tensor_bundle.cc (format V2: an entry for
each tensor), tensorflow/core/util/saved_tensor_slice.proto, saved_tensor_slice_util.h (format V1: one entry with all names).
"""

import mmap
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tfcarve.models import checkpoint_files, sorted_table, wire
from tfcarve.models.wire import Budget, Buffer

# The key of an entry that describes the whole file. Keys of the parts of a partitioned tensor begin with a null byte.
_HEADER, _PART = b"", b"\0"
_META, _TENSOR = 1, 1
_NAME, _TYPE = 1, 3
_DTYPE = 1


def _of_v1(data: bytes, budget: Budget) -> Iterator[tuple[str, int]]:
    """Yields the names and types in a SavedTensorSlices."""
    for meta in wire.contents(data, (0, len(data)), _META):
        for tensor in wire.contents(data, meta, _TENSOR):
            budget.take(tensor[1] - tensor[0])
            for a, b in wire.contents(data, tensor, _NAME):
                yield wire.text(data, a, b), wire.last_varint(data, tensor, _TYPE)


def _of_v2(entries: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[str, int]]:
    for key, value in entries:
        if key != _HEADER and not key.startswith(_PART):
            yield wire.text(key, 0, len(key)), wire.last_varint(value, (0, len(value)), _DTYPE)


def types(data: Buffer, is_v2: bool) -> Mapping[str, int]:
    """Returns the DataType of each tensor, by name.

    Args:
      data: the index of a checkpoint of format V2, or a checkpoint of format V1.
      is_v2: whether `data` is an index of format V2.

    Raises:
      wire.WireError: the file is damaged.
    """
    budget = Budget(len(data))
    entries = sorted_table.entries(data, budget)
    if is_v2:
        return dict(_of_v2(entries))
    header = next((value for key, value in entries if key == _HEADER), b"")
    return dict(_of_v1(header, budget))


def read(prefix: Path) -> Mapping[str, int]:
    """Returns the DataType of each tensor of the checkpoint with a path prefix, by name.

    Raises:
      wire.WireError: it is damaged.
      OSError: it cannot be read.
    """
    index = checkpoint_files.index_of(prefix)
    is_v2 = index.is_file()
    with (index if is_v2 else prefix).open("rb") as stream:
        if not os.fstat(stream.fileno()).st_size:  # it cannot be mapped
            return types(b"", is_v2)
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return types(data, is_v2)
