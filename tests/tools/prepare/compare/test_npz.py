"""Tests of .npz files: valid, damaged and hostile ones."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import extent
from tfcarve.errors import InvalidInput
from tfcarve.prepare.compare.npz import arrays, read_arrays


def _zip(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_all_kinds(tmp_path: Path, save: Any) -> None:
    path = tmp_path / "x.npz"
    arrays: dict[str, Any] = {
        "x": np.arange(6, dtype=np.float32).reshape(2, 3),
        "scope/y:0": np.asfortranarray(np.arange(6, dtype=np.int64).reshape(2, 3)),
        "big": np.arange(3, dtype=">i4"),
        "flag": np.array(True),
        "none": np.zeros((0, 4), np.float64),
    }
    save(path, **arrays)
    found = read_arrays(path)
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype.newbyteorder("=") == array.dtype.newbyteorder("=")
    assert found["big"].dtype == np.dtype("<i4")


def test_strings(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, s=np.array([[b"a", b"bc"]]), u=np.array(["ä", ""]))
    found = read_arrays(path)
    assert found["s"].tolist() == [[b"a", b"bc"]]
    assert found["u"].tolist() == ["ä".encode(), b""]


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    class Harm:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path(tmp_path / "harm").touch, ())

    path = tmp_path / "x.npz"
    np.savez(path, x=np.array([Harm()], object))
    with pytest.raises(
        InvalidInput, match="array 'x': has dtype object: expected numbers, bools or strings"
    ):
        read_arrays(path)
    assert not (tmp_path / "harm").exists()
    np.load(path, allow_pickle=True)["x"]  # unpickling the file has a side effect
    assert (tmp_path / "harm").exists()


_HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,)}"


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (
            {"x.npy": _npy(_HEADER % (1 << 40))},
            r"shape \[1099511627776\] does not fit in \d\d bytes",
        ),
        ({"x.npy": _npy(_HEADER % -4, b"0" * 16)}, r"shape \[-4\] does not fit in"),
        ({"x.npy": _npy(_HEADER % 64, b"0" * 4)}, "shape \\[64\\] does not fit"),
        (
            {"x.npy": b"\x93NUMPY\x03\x00"},
            r"version \(3, 0\) is not supported: write the file with numpy.savez",
        ),
        ({"x.npy": b"none"}, "cannot be read as an .npz file"),
        ({"x.npy": _npy("(" * 9000)}, "cannot be read as an .npz file"),
        ({"x.npy": _npy("{")}, "cannot be read as an .npz file"),
        (
            {"x.npy": _npy("{'descr': '<M8[s]', 'fortran_order': False, 'shape': ()}")},
            "has dtype datetime64",
        ),
    ],
)
def test_damaged_arrays(tmp_path: Path, members: dict[str, bytes], message: str) -> None:
    path = _zip(tmp_path / "x.npz", members)
    with pytest.raises(InvalidInput, match=message):
        read_arrays(path)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions(tmp_path: Path, kind: int) -> None:
    """LZMA uses as much memory as the file claims."""
    with zipfile.ZipFile(tmp_path / "x.npz", "w", kind) as archive:
        archive.writestr("x.npy", _npy(_HEADER % 1, b"0" * 4))
    with pytest.raises(
        InvalidInput, match="array 'x': unsupported compression: write the file with numpy.savez"
    ):
        read_arrays(tmp_path / "x.npz")


def _changed(data: bytes, chance: random.Random) -> bytes:
    """`data` with up to four changes: bytes replaced, removed or inserted, or a huge number."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(changed))
        match chance.randrange(4):
            case 0:
                changed[place] = chance.randrange(256)
            case 1:
                del changed[place : place + chance.randint(1, 20)]
            case 2:
                changed[place:place] = chance.randbytes(chance.randint(1, 12))
            case _:
                changed[place : place + 4] = chance.choice([b"\xff" * 4, bytes(4), b"\0\0\0\x7f"])
    return bytes(changed)


def test_damaged_files() -> None:
    """Each file is read or rejected with InvalidInput."""
    written = io.BytesIO()
    np.savez_compressed(written, x=np.arange(20, dtype=np.float32), s=np.array([b"a", b"bc"]))
    chance = random.Random(4)
    results = {True: 0, False: 0}
    for _ in range(extent.of(5_000, 20_000)):
        data = io.BytesIO(_changed(written.getvalue(), chance))
        try:
            arrays(data, "x.npz")
            results[True] += 1
        except InvalidInput as error:
            assert str(error).startswith("x.npz: ")
            results[False] += 1
    assert min(results.values()) > 100


def test_too_large(tmp_path: Path) -> None:
    """A file of one megabyte that claims two gigabytes is rejected without decompressing it."""
    path = _zip(tmp_path / "x.npz", {"x.npy": b"none"})
    data = bytearray(path.read_bytes())
    place = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, place + 24, 2 << 30)
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match="contains more than 1024 MiB: use fewer samples"):
        read_arrays(path)


def test_invalid_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file: create it with numpy.savez"):
        read_arrays(tmp_path / "x.npz")
    with pytest.raises(InvalidInput, match="cannot be read: Is a directory"):
        read_arrays(tmp_path)
    (tmp_path / "x.npz").write_bytes(b"PK")
    with pytest.raises(InvalidInput, match="cannot be read as an .npz file"):
        read_arrays(tmp_path / "x.npz")


def test_every_truncation_and_bit_flip(tmp_path: Path) -> None:
    written = io.BytesIO()
    np.savez_compressed(written, x=np.arange(20, dtype=np.float32))
    whole = written.getvalue()
    path = tmp_path / "x.npz"
    refused = 0
    for number in range(2 * len(whole)):
        place = number // 2
        flipped = bytes([whole[place] ^ 0x55])
        path.write_bytes(whole[:place] + (flipped + whole[place + 1 :] if number % 2 else b""))
        try:
            read_arrays(path)
        except InvalidInput:
            refused += 1
    assert refused > len(whole)
