"""Reads the tensors of a PyTorch checkpoint (.pth) without PyTorch, and runs no code of the file.

Format: torch.serialization's format before version 1.6: a pickle with references to storages, then the storages.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_MAGIC = 0x1950A86A20F9469CFC6C
_TYPES = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}


class _Storage:
    """The elements of tensors; they follow the pickle."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.values: npt.NDArray[Any] = np.empty(0, dtype)


class _Tensor:
    """A view of a storage."""

    def __init__(
        self,
        storage: _Storage,
        offset: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        *_unused: object,
    ) -> None:
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides

    def array(self) -> npt.NDArray[Any]:
        """A copy of the elements; raises IndexError if they are not all in the storage."""
        index = np.full(self.shape, self.offset)
        for axis, stride in enumerate(self.strides):
            steps = np.arange(self.shape[axis]) * stride
            index += steps.reshape([-1 if a == axis else 1 for a in range(len(self.shape))])
        return self.storage.values[index]


class _Reader(pickle.Unpickler):
    """Knows the names that a checkpoint needs, and no others."""

    def __init__(self, stream: io.BufferedReader) -> None:
        super().__init__(stream)
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _Tensor
        if module == "torch" and name in _TYPES:
            return _TYPES[name]
        raise pickle.UnpicklingError(f"the checkpoint has an object of {module}.{name}")

    def persistent_load(self, pid: Any) -> _Storage:
        _kind, dtype, key, *_rest = pid
        return self.storages.setdefault(key, _Storage(dtype))


def read(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Returns the tensors of a checkpoint by their names.

    Raises:
      pickle.UnpicklingError: the file has another format, or objects other than tensors.
    """
    with path.open("rb") as stream:
        if _Reader(stream).load() != _MAGIC:
            raise pickle.UnpicklingError(
                f"{path}: is not a PyTorch checkpoint of version 1.5 or older"
            )
        for _header in ("protocol", "system"):
            _Reader(stream).load()
        reader = _Reader(stream)
        tensors = reader.load()
        for key in _Reader(stream).load():
            storage = reader.storages[key]
            count = int.from_bytes(stream.read(8), "little")
            data = stream.read(count * storage.dtype.itemsize)
            storage.values = np.frombuffer(data, storage.dtype)
    return {name: tensor.array() for name, tensor in tensors.items()}
