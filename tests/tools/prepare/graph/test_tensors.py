"""Tests of the conversion between tensors and arrays, compared with TensorFlow's own."""

import numpy as np
import prepared
import pytest
import tensorflow as tf
from prepared import Array
from tensorflow.core.framework import tensor_pb2

from tfcarve import dtypes
from tfcarve.errors import InvalidInput
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.messages import TensorProto

_NUMBERS = [
    *("float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    *("uint8", "uint16", "uint32", "uint64", "bool", "complex64", "complex128"),
]


def _from_tfcarve(proto: object) -> TensorProto:
    return TensorProto.FromString(proto.SerializeToString())  # type: ignore[attr-defined]


def _from_tensorflow(proto: TensorProto) -> Array:
    return np.asarray(tf.make_ndarray(tensor_pb2.TensorProto.FromString(proto.SerializeToString())))


def _array(dtype: str, shape: tuple[int, ...]) -> Array:
    return (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 3 % 7).astype(dtype)


@pytest.mark.parametrize("dtype", _NUMBERS)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (40, 5)])
def test_round_trip(dtype: str, shape: tuple[int, ...]) -> None:
    array = _array(dtype, shape)
    tensor = tensors.from_array(array)
    assert tensor.dtype == dtypes.NUMBER_OF[dtype]
    for read in (tensors.to_array(tensor, "n"), _from_tensorflow(tensor)):
        assert read.dtype == array.dtype
        np.testing.assert_array_equal(read, array)
    np.testing.assert_array_equal(
        tensors.to_array(_from_tfcarve(tf.make_tensor_proto(array)), "n"), array
    )


@pytest.mark.parametrize("dtype", _NUMBERS)
def test_repeated_values(dtype: str) -> None:
    array = np.full((100, 3), 1, dtype)
    tensor = tensors.from_array(array)
    for read in (tensors.to_array(tensor, "n"), _from_tensorflow(tensor)):
        np.testing.assert_array_equal(read, array)
    if dtype not in ("float16", "complex64", "complex128"):
        assert tensor.ByteSize() < 40


def test_values_are_compared_bitwise() -> None:
    array = np.zeros(100, np.float32)
    array[50] = -0.0
    read = tensors.to_array(tensors.from_array(array), "n")
    assert np.signbit(read).tolist() == np.signbit(array).tolist()
    nan = np.full(100, np.nan, np.float32)
    assert np.isnan(tensors.to_array(tensors.from_array(nan), "n")).all()


@pytest.mark.parametrize("dtype", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_quantized(dtype: str) -> None:
    number = dtypes.NUMBER_OF[dtype]
    array = np.arange(6).astype(dtype[1:])
    tensor = tensors.from_array(array, number)
    assert tensor.dtype == number
    np.testing.assert_array_equal(tensors.to_array(tensor, "n"), array)


def test_strings() -> None:
    array = np.array([[b"a", b""], [b"\xff\0", b"long" * 30]], object)
    tensor = tensors.from_array(array)
    assert (
        tensors.to_array(tensor, "n").tolist()
        == array.tolist()
        == _from_tensorflow(tensor).tolist()
    )


def _splat(dims: list[int], values: list[float]) -> TensorProto:
    tensor = TensorProto(dtype=1)
    for size in dims:
        tensor.tensor_shape.dim.add(size=size)
    tensor.float_val.extend(values)  # type: ignore[attr-defined]
    return tensor


def test_the_last_value_is_repeated() -> None:
    assert tensors.to_array(_splat([4], [1, 2]), "n").tolist() == [1, 2, 2, 2]
    assert tensors.to_array(_splat([2], []), "n").tolist() == [0, 0]


@pytest.mark.parametrize(
    ("tensor", "message"),
    [
        (
            _splat([1 << 40], [1]),
            r"node 'n': its constant expands from 1 to 1099511627776 values",
        ),
        (_splat([1 << 18, 1 << 20, 1 << 20], []), r"expands from 0 to \d+ values"),
        (_splat([1] * 33, [1]), r"node 'n': .* too many dimensions or elements: 33 dimensions"),
        (_splat([0, 1 << 62], []), r"the largest is 4,611,686,018,427,387,904"),
        (_splat([1], [1, 2]), r"of 1 values has 2: the file is damaged"),
        (_splat([-1], [1]), r"the shape of its constant is unknown"),
        (TensorProto(dtype=20), r"its constant is of type resource"),
        (TensorProto(dtype=99), r"its constant is of type DataType 99"),
    ],
)
def test_invalid_tensors(tensor: TensorProto, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        tensors.to_array(tensor, "n")


def test_content_of_another_size() -> None:
    tensor = tensors.from_array(prepared.noise(3))
    tensor.tensor_content = tensor.tensor_content[:-1]
    with pytest.raises(InvalidInput, match=r"3 values of 4 bytes has 11 bytes"):
        tensors.to_array(tensor, "n")


def test_a_type_that_tensorflow_does_not_have() -> None:
    with pytest.raises(TypeError, match="no type for datetime64"):
        tensors.from_array(np.zeros(2, "datetime64[s]"))
