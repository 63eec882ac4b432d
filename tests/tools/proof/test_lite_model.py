"""Tests of running a TensorFlow Lite model by the names of its inputs and outputs, in two packages' interpreters."""

from __future__ import annotations

from typing import Any

import lite_models
import numpy as np
import pytest
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter

from tfcarve.proof.lite_model import LiteError, choose_signature, run

_X, _Y = np.array([1, 2, 3], np.float32), np.array(10, np.float32)


@pytest.fixture(scope="module", name="signatures")
def _signatures() -> bytes:
    return lite_models.with_signatures("plus", "twice")


@pytest.mark.parametrize("interpreter", [Interpreter, tf.lite.Interpreter])
def test_a_signature(interpreter: Any, signatures: bytes) -> None:
    loaded = interpreter(model_content=signatures)
    (found,) = run(loaded, "plus", {"x": _X, "y": _Y}, ["sum"])
    assert found.tolist() == [11, 12, 13]
    (found,) = run(loaded, "twice", {"x": _X[:2]}, ["double"])
    assert found.tolist() == [2, 4]


@pytest.mark.parametrize("interpreter", [Interpreter, tf.lite.Interpreter])
def test_a_model_without_signatures(interpreter: Any) -> None:
    loaded = interpreter(model_content=lite_models.without_signatures(lambda x: (x + 1.0, x - 1.0)))
    (output, _) = [details["name"] for details in loaded.get_output_details()]
    first, again = run(loaded, "", {"x": _X[:2]}, [output, output])
    assert first.tolist() == again.tolist() == [2, 3]
    with pytest.raises(
        LiteError, match="the model has no signature 'plus'. Known signatures: none"
    ):
        run(loaded, "plus", {"x": _X[:2]}, [output])
    with pytest.raises(
        LiteError, match=f"the model has no output '{output}s'; did you mean {output}"
    ):
        run(loaded, "", {"x": _X[:2]}, [f"{output}s"])


@pytest.mark.parametrize(
    ("feeds", "output", "message"),
    [
        ({"x": _X, "y": _Y}, "sums", "no output 'sums'; did you mean sum? Known outputs: sum"),
        ({"x": _X, "yy": _Y}, "sum", "no input 'yy'; did you mean y? Known inputs: x, y"),
        ({"x": _X}, "sum", "has the input 'y', which has no value"),
        ({"x": _X.astype(int), "y": _Y}, "sum", "'x' has type float32, its value int64"),
        ({"x": _X.reshape(1, 3), "y": _Y}, "sum", "'x' has shape [-1], its value [1, 3]"),
    ],
)
def test_wrong_names_and_arrays(
    feeds: dict[str, Any], output: str, message: str, signatures: bytes
) -> None:
    with pytest.raises(LiteError) as raised:
        run(Interpreter(model_content=signatures), "plus", feeds, [output])
    assert message in str(raised.value)


def test_shapes_are_not_those_of_the_caller(signatures: bytes) -> None:
    """Interpreters would resize the input."""
    with pytest.raises(LiteError, match=r"'x' has shape \[2\], its value \[3\]"):
        run(Interpreter(model_content=signatures), "twice", {"x": _X}, ["double"])


@pytest.mark.parametrize(
    ("names", "wanted", "chosen"),
    [
        ([], "", ""),
        (["a"], "", "a"),
        (["a", "serving_default"], "", "serving_default"),
        (["a", "serving_default"], "a", "a"),
    ],
)
def test_chosen_signatures(names: list[str], wanted: str, chosen: str) -> None:
    assert choose_signature(names, wanted) == chosen


def test_no_signature_is_chosen() -> None:
    with pytest.raises(
        LiteError, match="no signature 'infr'; did you mean infer\\? Known signatures"
    ):
        choose_signature(["infer", "b"], "infr")
    with pytest.raises(LiteError, match="none is serving_default: name one of a, b"):
        choose_signature(["b", "a"], "")
