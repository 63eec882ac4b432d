"""Tests of Keras files where TensorFlow is not there; tests/zoo has those with it."""

import importlib.util
import sys
from pathlib import Path

import pytest

from tfcarve.errors import BadInput
from tfcarve.models.keras_export import layer_classes
from tfcarve.models.read import read


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "M.HDF5"])
def test_without_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(BadInput) as raised:
        read(tmp_path / name)
    assert f"{name}: a Keras file: to read it {sys.executable} needs tensorflow" in str(
        raised.value
    )
    assert "tf.saved_model.save" in str(raised.value)


def test_layer_classes() -> None:
    config = {
        "class_name": "Model",
        "config": {"layers": [{"class_name": "Lambda"}, {"name": "x"}]},
    }
    assert layer_classes(config) == {"Model", "Lambda"}
    assert layer_classes("Lambda") == set()
