"""Tests of the arrays of TensorFlow Lite models in .npy files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfcarve.proof import npy_arrays
from tfcarve.proof.npy_arrays import ArrayError


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1.5, 2]], np.float32),
        np.array(3),
        np.array([1, 2], ">i4"),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.zeros((0, 2), bool),
    ],
)
def test_numbers(array: Any, tmp_path: Path) -> None:
    npy_arrays.write(tmp_path / "a.npy", "a", array)
    found = npy_arrays.read(tmp_path / "a.npy")
    assert (found.tolist(), found.shape) == (array.tolist(), array.shape)
    assert found.dtype.isnative and found.dtype == array.dtype.newbyteorder("=")


@pytest.mark.parametrize("texts", [[b"a", b"", b"long\xff"], [], b"one"])
def test_strings(texts: Any, tmp_path: Path) -> None:
    npy_arrays.write(tmp_path / "a.npy", "a", np.array(texts, object))
    found = npy_arrays.read(tmp_path / "a.npy")
    assert (found.tolist(), found.dtype) == (texts, object)


def test_unicode(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array(["é"]))
    assert npy_arrays.read(tmp_path / "a.npy").tolist() == ["é".encode()]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([b"a\0"], object), "'out' has a string that ends with a zero byte"),
        (np.zeros(1, "V2"), "'out' has type void16, which .npy files lack"),
    ],
)
def test_what_files_do_not_store(array: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ArrayError) as raised:
        npy_arrays.write(tmp_path / "a.npy", "the output 'out'", array)
    assert message in str(raised.value)
    assert not any(tmp_path.iterdir())


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    with pytest.raises(ArrayError, match="cannot be read: No such file"):
        npy_arrays.read(path)
    np.save(path, np.arange(9))
    whole = path.read_bytes()
    for data in (b"", whole[:40], whole[:-1], b"text", b"PK\x03\x04"):
        path.write_bytes(data)
        with pytest.raises(ArrayError, match="a.npy: not a .npy file, or damaged"):
            npy_arrays.read(path)
    np.savez(tmp_path / "a.npz", a=np.arange(2))
    with pytest.raises(ArrayError, match="not a .npy file"):
        npy_arrays.read(tmp_path / "a.npz")
    np.save(path, np.array([{}]), allow_pickle=True)
    with pytest.raises(ArrayError, match="not a .npy file"):
        npy_arrays.read(path)
    np.save(path, np.zeros(1, "V2"))
    with pytest.raises(ArrayError, match=r"has type \|V2: expected numbers"):
        npy_arrays.read(path)
