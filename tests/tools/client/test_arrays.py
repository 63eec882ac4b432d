"""Tests of inputs from .npy files and of random inputs: the same as in benchmark_model."""

import io

import numpy as np
import pytest

from tfcarve import dtypes
from tfcarve.client import arrays
from tfcarve.client.arrays import RANDOM_TYPES
from tfcarve.errors import InvalidInput


def _npy(array: np.ndarray) -> bytes:  # type: ignore[type-arg]
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    "dtype",
    [*sorted(RANDOM_TYPES), "complex64", "complex128"],
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_npy(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.ones(shape, dtype)
    read = arrays.parse_npy(_npy(array), "x.npy")
    assert read == arrays.Array(dtypes.NUMBER_OF[dtype], shape, array.tobytes())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x01",
        b"\x93NUMPY\x03\0\0\0",
        b"\x93NUMPY\x01\0\xff\xff{",
        b"\x93NUMPY\x01\0\x02\0{}",
        b"\x93NUMPY\x01\0\x01\0(",
        b"\x93NUMPY\x02\0\x01\0\x01\0" + b" " * 0x10001,
        b"\x93NUMPY\x01\0\xff\xff" + b"(" * 0xFFFF,
        _npy(np.array(["a"])),
        _npy(np.ones((2, 3), order="F")),
        _npy(np.ones(3, ">f4")),
        _npy(np.ones(3, "f4"))[:-1],
        _npy(np.ones(3, "f4")) + b"x",
        _npy(np.ones(3, "f4")).replace(b"(3,)", b"3   "),
        _npy(np.ones(3, "f4")).replace(b"(3,)", b"(-3)"),
        _npy(np.ones(3, "f4")).replace(b"'descr'", b"'descs'"),
        _npy(np.ones(3, "f4")).replace(b"'<f4'", b"f()  "),
    ],
)
def test_malformed_npy(content: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^x\.npy: "):
        arrays.parse_npy(content, "x.npy")


def test_random_values_are_those_of_std_mt19937() -> None:
    """NumPy's RandomState has the same generator with the same seeding."""
    bits = np.random.RandomState(1).randint(0, 1 << 32, 1000, np.uint32)
    array = arrays.random_input("float32:10x100")
    assert array.dims == (10, 100)
    assert np.frombuffer(array.data, np.float32).tolist() == ((bits >> 8) / (1 << 24)).tolist()
    bytes_ = arrays.random_input("uint8:1000").data
    assert list(bytes_) == (bits >> 24).tolist()


@pytest.mark.parametrize("dtype", sorted(RANDOM_TYPES))
def test_random_values_are_in_range(dtype: str) -> None:
    values = np.frombuffer(arrays.random_input(f"{dtype}:1000").data, dtype)
    assert len(values) == 1000
    assert values.min() >= 0
    assert values.max() <= (255 if dtype == "uint8" else 1)
    assert len(set(values.tolist())) >= 2


def test_scalar() -> None:
    assert arrays.random_input("int32:").dims == ()
    assert len(arrays.random_input("int32:").data) == 4


# tests/runtime/programs/random_input_test.cc has the same cases.
@pytest.mark.parametrize(
    "description",
    [
        "",
        "float32",
        "1x2",
        "float:1",
        "string:1",
        ":1",
        "float32:1x",
        "float32:x1",
        "float32:1xx1",
        "float32:-1",
        "float32:1,2",
        "float32: 1",
        "float32:²",
        "float32:99999999999",
        "float32:536870913",
        "float64:65536x65536x65536",
    ],
)
def test_bad_descriptions(description: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        arrays.random_input(description)
    assert str(caught.value).startswith(repr(description))
