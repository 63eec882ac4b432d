"""Tests of samples: arrays from a file, and random values in range."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from compared import Draw, saved, sides, tf1

from tfcarve.errors import InvalidInput
from tfcarve.prepare.compare import ranges, samples
from tfcarve.prepare.evaluate.requests import Output
from tfcarve.prepare.graph import tensors
from tfcarve.prepare.graph.graph import Ref
from tfcarve.prepare.graph.tensors import Array

pytestmark = pytest.mark.usefixtures("reused")

X = Ref("x")
FLOAT, UINT8, INT32, STRING, INT64, BOOL, BFLOAT16 = 1, 4, 3, 7, 9, 10, 14


def _random(
    dtype: int, shape: tuple[int, ...] | None, limit: int | None = None, count: int = 1
) -> list[Array]:
    created = samples.random({X: Output(dtype, shape)}, {X: limit}, count)
    return [tensors.to_array(sample[X], "x") for sample in created]


def test_random_values_are_deterministic_and_differ_between_samples() -> None:
    first, second = (_random(FLOAT, (4, 5), count=3) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert len({array.tobytes() for array in first}) == 3


def test_random_floats() -> None:
    (array,) = _random(FLOAT, (100, 100))
    assert array.dtype == np.float32
    assert -1 <= array.min() < -0.99
    assert 0.99 < array.max() < 1


@pytest.mark.parametrize(
    ("dtype", "limit", "most"),
    [
        (INT32, None, 1),
        (INT32, 7, 6),
        (INT64, 7, 6),
        (UINT8, None, 255),
        (UINT8, 1000, 255),
        (BOOL, None, 1),
    ],
)
def test_random_integers_fill_their_range(dtype: int, limit: int | None, most: int) -> None:
    (array,) = _random(dtype, (5000,), limit)
    assert array.dtype == tensors.numpy_type(dtype)
    assert (int(array.min()), int(array.max())) == (0, most)


def test_random_strings() -> None:
    (array,) = _random(STRING, (200,))
    lengths = {len(text) for text in array.tolist()}
    assert lengths == set(range(1, 9))
    assert all(text.isalpha() and text.islower() for text in array.tolist())


@pytest.mark.parametrize(
    ("shape", "created"), [((-1, 3), (1, 3)), ((), ()), (None, ()), ((0, -1), (0, 1))]
)
def test_unknown_dimensions_are_1(shape: tuple[int, ...] | None, created: tuple[int, ...]) -> None:
    assert _random(FLOAT, shape)[0].shape == created


def test_types_without_random_values() -> None:
    with pytest.raises(InvalidInput, match="input 'x' is of type bfloat16, which can't be fed"):
        _random(BFLOAT16, (1,))
    with pytest.raises(InvalidInput, match=r"input 'x' takes \[\?, 1099511627776\]: too large"):
        _random(FLOAT, (-1, 1 << 40))


def _samples(inputs: dict[str, Output], **arrays: Array) -> list[samples.Sample]:
    return samples.from_arrays(arrays, {Ref(name): output for name, output in inputs.items()})


ONE = {"x": Output(FLOAT, (-1, 3))}


def test_one_sample() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    (sample,) = _samples(ONE, x=array)
    np.testing.assert_array_equal(tensors.to_array(sample[X], "x"), array)


def test_several_samples() -> None:
    inputs = {**ONE, "n": Output(INT32, ())}
    array = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
    created = _samples(inputs, x=array, n=np.arange(4, dtype=np.int32))
    assert len(created) == 4
    for number, sample in enumerate(created):
        np.testing.assert_array_equal(tensors.to_array(sample[X], "x"), array[number])
        assert tensors.to_array(sample[Ref("n")], "n") == number
        assert tensors.shape(sample[Ref("n")], "n") == ()


def test_names_with_output_numbers() -> None:
    (sample,) = samples.from_arrays(
        {"x:1": np.zeros((1, 3), np.float32)}, {Ref("x", 1): Output(FLOAT, (-1, 3))}
    )
    assert list(sample) == [Ref("x", 1)]


ROW = np.zeros((1, 3), np.float32)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": ROW}, r"array 'y' matches no input.* The inputs are: x"),
        ({}, "there is no array for the input 'x'"),
        (
            {"x": ROW.astype(np.float64)},
            "array 'x' is of type float64: the model's input is float32",
        ),
        (
            {"x": np.array([[b""] * 3], object)},
            "array 'x' is of type string: the model's input is float32",
        ),
        (
            {"x": np.zeros((1, 4), np.float32)},
            r"array 'x' has the shape \[1, 4\]: the input takes \[\?, 3\]",
        ),
        ({"x": np.zeros(3, np.float32)}, r"array 'x' has the shape \[3\]: the input takes"),
        ({"x": np.zeros((2, 1, 4), np.float32)}, r"array 'x' has the shape \[1, 4\]"),
        ({"x": np.zeros((0, 1, 3), np.float32)}, "array 'x' has several samples"),
    ],
)
def test_invalid_arrays(arrays: dict[str, Array], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        _samples(ONE, **arrays)


def test_arrays_of_different_numbers_of_samples() -> None:
    inputs = {**ONE, "n": Output(INT32, ())}
    with pytest.raises(
        InvalidInput, match=r"so all arrays need the same number: x \[4, 1, 3\], n \[3\]"
    ):
        _samples(inputs, x=np.zeros((4, 1, 3), np.float32), n=np.zeros(3, np.int32))


def _table(shape: list[int]) -> tf.Tensor:
    return tf.constant(np.ones(shape, np.float32))


def _ids() -> tf.Tensor:
    return tf1.placeholder(tf.int32, [2], name="x")


@pytest.mark.parametrize(
    ("draw", "limit"),
    [
        (lambda: tf.gather(_table([7, 2]), _ids()), 7),
        (lambda: tf.gather(_table([7, 2]), _ids(), axis=1), 2),
        (lambda: tf.gather(_table([7, 2]), _ids(), axis=-1), 2),
        (lambda: tf.gather(_table([7, 2]), tf.cast(tf.reshape(_ids(), [2, 1]), tf.int64)), 7),
        (lambda: tf.gather(_table([7, 2]), tf.concat([_ids(), [0]], 0)), 7),
        (lambda: tf.one_hot(_ids(), 5), 5),
        (lambda: tf.gather(_ids(), [0]), None),
        (lambda: tf.gather(_table([7, 2]), _ids() + 1), None),
        (lambda: tf.gather(tf1.placeholder(tf.float32, [None, 2]), _ids()), None),
    ],
)
def test_limits_of_integers(tmp_path: Path, draw: Draw, limit: int | None) -> None:
    with sides(saved(tmp_path, "a", draw)) as (side,):
        assert ranges.limit(side.graph, X, side.outputs) == limit


def test_smallest_limit(tmp_path: Path) -> None:
    def draw() -> None:
        ids = _ids()
        tf.gather(_table([7, 2]), ids)
        tf.gather(_table([4, 2]), tf.identity(ids))

    with sides(saved(tmp_path, "a", draw)) as (side,):
        assert ranges.limit(side.graph, X, side.outputs) == 4
