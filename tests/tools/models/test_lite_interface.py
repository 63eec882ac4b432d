"""Tests of reading what TensorFlow Lite models take and return, as its interpreter shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lite_models
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models import tflite
from tfcarve.models.flatbuffer import FlatError
from tfcarve.models.lite_interface import lite_interface
from tfcarve.models.read import read
from tfcarve.models.signature_def import SignatureTensor
from tfcarve.models.summary import summary
from tfcarve.models.summary_lines import lines
from tfcarve.releases import known
from tfcarve.validity import op_types

_NAMES = {"bytes_": "string", "object": "string"}


def _mixed(x: Any) -> Any:
    return {
        "best": tf.argmax(x),
        "text": tf.strings.as_string(x),
        "positive": x > 0,
        "half": tf.cast(x, tf.float16),
        "scalar": tf.reduce_sum(x),
    }


@pytest.fixture(scope="module", name="models")
def _models() -> dict[str, bytes]:
    return {
        "two signatures": lite_models.with_signatures("plus", "twice"),
        "no signature": lite_models.without_signatures(_mixed, select=True),
    }


def _shown(tensor: SignatureTensor) -> tuple[str, str, tuple[int, ...] | None]:
    return tensor.tensors[0], tensor.dtype, tensor.shape


def _details(detail: Any) -> tuple[str, str, tuple[int, ...]]:
    name = np.dtype(detail["dtype"]).name if detail["dtype"] is not np.bytes_ else "string"
    return detail["name"], _NAMES.get(name, name), tuple(map(int, detail["shape_signature"]))


@pytest.mark.parametrize("name", ["two signatures", "no signature"])
def test_as_the_interpreter_shows_it(name: str, models: dict[str, bytes]) -> None:
    interpreter = tf.lite.Interpreter(model_content=models[name])
    found = lite_interface(models[name])
    assert list(map(_shown, found.main.inputs)) == [
        _details(detail) for detail in interpreter.get_input_details()
    ]
    assert list(map(_shown, found.main.outputs)) == [
        _details(detail) for detail in interpreter.get_output_details()
    ]
    signatures = interpreter.get_signature_list()
    assert list(found.signatures) == sorted(signatures)
    for key, signature in found.signatures.items():
        runner = interpreter.get_signature_runner(key)
        for side, details in (
            (signature.inputs, runner.get_input_details()),
            (signature.outputs, runner.get_output_details()),
        ):
            assert {t.name: _shown(t) for t in side} == {n: _details(d) for n, d in details.items()}


def test_it_is_shown(models: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "m.tflite"
    path.write_bytes(models["two signatures"])
    model = read(path)
    shown = list(lines(summary(model, op_types.of_model(model, known.release()))))
    assert shown[1:4] == ["signatures: 2", "  plus", "    input  x = plus_x:0  float32  [?]"]
    assert "  plus_y:0  float32  []" in shown[shown.index("inputs: 2") :]


def test_damaged_anywhere(models: dict[str, bytes]) -> None:
    """A damaged file is refused, or read within its bounds."""
    outcomes = set()
    data = models["two signatures"]

    @given(
        st.lists(
            st.tuples(st.integers(0, len(data) - 1), st.integers(0, 255)), min_size=1, max_size=8
        ),
        st.integers(0, len(data)),
    )
    def damage(changes: list[tuple[int, int]], cut: int) -> None:
        damaged = bytearray(data)
        for place, byte in changes:
            damaged[place] = byte
        for each in (bytes(damaged), bytes(damaged[:cut])):
            try:
                tflite.flex_ops(each, "m")
                lite_interface(each)
                outcomes.add("read")
            except FlatError as error:
                outcomes.add("refused")
                assert str(error)

    damage()
    assert outcomes == {"read", "refused"}
