"""Values of --constant: their types, shapes and ranges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tfcarve.dtypes import NUMBER_OF
from tfcarve.errors import InvalidInput
from tfcarve.prepare.inputs import constant_values


def _array(text: str, dtype: str, dims: list[int] | None = None) -> Any:
    return constant_values.array("p", text, NUMBER_OF[dtype], dims)


@pytest.mark.parametrize(
    ("text", "dtype", "dims", "expected"),
    [
        ("1", "float32", None, 1.0),
        (" -2.5e-3 ", "float64", [], -0.0025),
        ("nan", "float32", None, math.nan),
        ("inf", "float16", None, math.inf),
        ("7", "int64", [], 7),
        ("-128", "int8", None, -128),
        ("255", "uint8", None, 255),
        ("18446744073709551615", "uint64", None, (1 << 64) - 1),
        ("true", "bool", [], True),
        ("False", "bool", None, False),
        ("0", "bool", None, False),
        ("1", "bool", None, True),
        ("a=b, c", "string", None, b"a=b, c"),
        ("é", "string", [], "é".encode()),
        ("[1, 2]", "float32", None, [1, 2]),
        ("[[1, 2], [3, 4]]", "int32", [-1, 2], [[1, 2], [3, 4]]),
        ('["a", "b"]', "string", [2], [b"a", b"b"]),
        ("[true, 0]", "bool", None, [True, False]),
        ("[]", "float32", [0], []),
        ("[[], []]", "int32", None, [[], []]),
        ("0", "float32", [1, 3], [[0, 0, 0]]),
        ("x", "string", [2], [b"x", b"x"]),
    ],
)
def test_values(text: str, dtype: str, dims: list[int] | None, expected: Any) -> None:
    found = _array(text, dtype, dims)
    wanted = np.array(expected, object if dtype == "string" else dtype)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if dtype == "string":
        assert found.tolist() == wanted.tolist()
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    ("text", "dtype", "dims", "message"),
    [
        ("maybe", "bool", None, "--constant p=maybe: is neither a number nor true, false or a list"),
        ("2", "bool", None, "is of type bool: 2 is not one"),
        ("0.5", "bool", None, "is of type bool: 0.5 is not one"),
        ("true", "float32", None, "is of type float32: True is not one"),
        ("0.5", "int32", None, "is of type int32: pass an integer"),
        ("1e3", "int32", None, "is of type int32: pass an integer"),
        ("2147483648", "int32", None, "is out of the range of int32, -2147483648 to 2147483647"),
        ("-1", "uint8", None, "is out of the range of uint8, 0 to 255"),
        ("1e39", "float32", None, "is out of the range of float32, ±3.40282e+38"),
        ("70000", "float16", None, "is out of the range of float16"),
        ("[1e39]", "float32", None, "is out of the range of float32"),
        ("[1, x]", "float32", None, "is not a list in JSON, such as [1, 2]"),
        ("[1, [2]]", "float32", None, "its lists have different lengths"),
        ("[[1], [2, 3]]", "float32", None, "its lists have different lengths"),
        ("[" * 40 + "1" + "]" * 40, "float32", None, "nested too deeply"),
        ("[" * 100_000, "float32", None, "is not a list in JSON"),
        ('["1"]', "float32", None, "is of type float32: '1' is not one"),
        ("[1]", "string", None, "is of type string: 1 is not one"),
        ("[null]", "float32", None, "is of type float32: None is not one"),
        ("1", "resource", None, "is of type resource, which cannot be set"),
        ("1", "complex64", None, "is of type complex64, which cannot be set"),
        ("1", "float32", [-1, 2], "has the shape [?, 2]: pass a list of values"),
        ("[1, 2, 3]", "float32", [2], "has the shape [3], but the Placeholder has the shape [2]"),
        ("[1]", "float32", [], "has the shape [1], but the Placeholder has the shape []"),
        ("0", "float32", [1 << 20, 1 << 20], "is too large to fill"),
    ],
)  # fmt: skip
def test_invalid_values(text: str, dtype: str, dims: list[int] | None, message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        _array(text, dtype, dims)
    assert message in str(raised.value) and len(str(raised.value)) < 300


def test_names() -> None:
    found = constant_values.split(["keep_prob:0=0.5", "scope/label=a=b"])
    assert found == {"keep_prob": "0.5", "scope/label": "a=b"}
    for options, message in (
        (["keep_prob"], "--constant takes NAME=VALUE, for example keep_prob=1, not 'keep_prob'"),
        (["=1"], "takes NAME=VALUE"),
        (["p="], "takes NAME=VALUE"),
        (["p=1", "p:0=2"], "--constant p: is passed twice"),
    ):
        with pytest.raises(InvalidInput, match=message):
            constant_values.split(options)
