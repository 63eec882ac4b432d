"""Tests of universal files; tests/ios compares them with lipo's."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.errors import InvalidInput
from tfcarve.objfile import universal
from tfcarve.objfile.open_linked import open_linked

_FILE = universal.pack({"arm64": b"arm's", "x86_64": b"Intel's"})


def test_slices_name_their_cpu() -> None:
    assert [(s.name, s.data) for s in universal.slices(_FILE, "x.a")] == [
        ("x.a (slice 1 of 2, x86_64)", b"Intel's"),
        ("x.a (slice 2 of 2, arm64)", b"arm's"),
    ]


def test_unknown_cpu() -> None:
    other = _FILE.replace((0x0100000C).to_bytes(4), (0x12).to_bytes(4))
    assert [s.name for s in universal.slices(other, "x.a")][1] == "x.a (slice 2 of 2, CPU 0x12)"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (_FILE[:4], "ends in its header"),
        (_FILE[:20], "ends in its header"),
        (_FILE[:-1], r"x\.a \(slice 2 of 2, arm64\): ends beyond the file: is it truncated\?"),
        (_FILE[:4] + bytes(4) + _FILE[8:], "a universal file of 0 slices"),
        (_FILE[:4] + b"\xff" * 4 + _FILE[8:], "a universal file of 4294967295 slices"),
    ],
)
def test_damaged(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        list(universal.slices(data, "x.a"))


@given(st.binary(max_size=100))
def test_noise(noise: bytes) -> None:
    with contextlib.suppress(InvalidInput):
        list(universal.slices(universal.MAGIC + noise, "noise"))


def test_a_linked_library_is_for_one_cpu() -> None:
    with pytest.raises(InvalidInput, match=r"x: a universal file: extract one slice with `lipo"):
        open_linked(_FILE, "x")
