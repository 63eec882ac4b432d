"""Placeholders that get a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from freeze_running import frozen_here, frozen_with_notes, graph_of, ops_of, run
from freeze_sources import Source
from input_sources import OPTIONS, classic, saved_model

from tfcarve.errors import InvalidInput


def _placeholders(data: bytes) -> list[str]:
    return [node.name for node in graph_of(data).node if node.op == "Placeholder"]


def _equal(data: bytes, source: Source) -> None:
    found = run(data, source.feeds, ["y"])["y"]
    assert np.abs(found - source.expected["y"]).max() < 1e-6


@pytest.mark.parametrize("variables", [True, False])
def test_freeze(variables: bool, tmp_path: Path) -> None:
    source = classic(tmp_path / "m", variables)
    fed, notes = frozen_with_notes(source.path, tmp_path / "f", **source.options)
    assert _placeholders(fed) == ["x", "keep_prob", "phase_train"]
    for option in OPTIONS:
        assert f"if the input '{option.split('=')[0]}' matters only for training, --constant {option}" in notes  # fmt: skip
    data, notes = frozen_with_notes(
        source.path, tmp_path / "g", **source.options, constants=OPTIONS
    )
    assert _placeholders(data) == ["x"] and not notes
    assert not ops_of(data) & {"Switch", "Merge", "Mean"}
    _equal(data, source)
    # The control: another value.
    options = ("keep_prob=1", "phase_train=true")
    data = frozen_here(source.path, tmp_path / "h", **source.options, constants=options)
    assert not ops_of(data) & {"Switch", "Merge"} and "Mean" in ops_of(data)
    assert run(data, source.feeds, ["y"])["y"].tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("name", ["training", "serving_default_training"])
def test_an_input_of_a_signature(name: str, tmp_path: Path) -> None:
    source = saved_model(tmp_path / "m")
    with pytest.raises(InvalidInput, match="changes the variable 'calls'"):
        frozen_here(source.path, tmp_path / "f")
    data = frozen_here(source.path, tmp_path / "g", constants=(f"{name}=false",))
    assert _placeholders(data) == ["x"] and "Tanh" not in ops_of(data)
    _equal(data, source)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constants": ("keep_prop=1",)}, "--constant keep_prop: is not a node of the graph; did you mean keep_prob?"),
        ({"constants": ("y=1",)}, "--constant y: the node is a Identity: only Placeholders get a value"),
        ({"constants": ("phase_train=0.5",)}, "--constant phase_train=0.5: the Placeholder is of type bool"),
        ({"constants": ("x=1",)}, "--constant x=1: the Placeholder has the shape [?, 3]: pass a list"),
        ({"constants": ("x=1",), "inputs": ("x", "keep_prob")}, "--constant x: is also in --inputs"),
        ({"constants": ("keep_prob=1",), "outputs": ()}, "--constant requires --outputs: a GraphDef does not"),
        ({"assertions": "drop", "outputs": ()}, "--assertions requires --outputs"),
        ({"inputs": ("x", "phase_train")}, "the outputs need 'keep_prob', which nothing feeds: add them to --inputs, make them constants (--constant keep_prob=1)"),
    ],
)  # fmt: skip
def test_messages(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    source = classic(tmp_path / "m", False)
    with pytest.raises(InvalidInput) as raised:
        frozen_here(source.path, tmp_path / "f", **{**source.options, **options})
    assert message in str(raised.value)


def test_an_input_of_a_signature_that_is_set_twice(tmp_path: Path) -> None:
    source = saved_model(tmp_path / "m")
    options = ("training=false", "serving_default_training=true")
    with pytest.raises(
        InvalidInput, match="serving_default_training: is passed twice: .* names this input too"
    ):
        frozen_here(source.path, tmp_path / "f", constants=options)
    with pytest.raises(InvalidInput, match="trained: is not a node .*did you mean training"):
        frozen_here(source.path, tmp_path / "f", constants=("trained=false",))
