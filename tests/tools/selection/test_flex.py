"""Tests of selections for Flex delegates."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.models.node_use import AttrValue, Model, NodeUse, RequestedOp
from tfcarve.selection import flex

_FLOAT = {"T": AttrValue("type", "float32")}


def _model(path: str, kind: str, *ops: str, attrs: Mapping[str, AttrValue] | None = None) -> Model:
    nodes = [NodeUse(path, "", f"node{i}", op, "", attrs or _FLOAT) for i, op in enumerate(ops)]
    requests = (RequestedOp("Erf"),) if kind == "ops-list" else ()
    return Model(path, lambda: "00", kind, nodes, requests=requests)


def test_models_that_a_delegate_runs() -> None:
    flex.check([_model("m.tflite", "tflite-flex", "Erf"), _model("ops.yaml", "ops-list")])


@pytest.mark.parametrize("kind", ["graphdef", "saved_model", "meta_graph-text", "keras"])
def test_other_formats(kind: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^m: is of the format {kind}: .*SELECT_TF_OPS"):
        flex.check([_model("m", kind, "Erf")])


def test_a_model_without_flex_ops() -> None:
    with pytest.raises(
        InvalidInput, match=r"^m\.tflite: has no TensorFlow ops .*needs no delegate"
    ):
        flex.check([_model("m.tflite", "tflite-flex")])


@pytest.mark.parametrize("kind", ["func", "list(func)"])
def test_an_op_that_calls_a_function(kind: str) -> None:
    attrs = {**_FLOAT, "f": AttrValue(kind, "g")}
    with pytest.raises(InvalidInput, match=r"'node0'.* 'f' of MapDefun is a function"):
        flex.check([_model("m.tflite", "tflite-flex", "MapDefun", attrs=attrs)])


def test_all_problems_are_listed() -> None:
    models = [_model("a", "graphdef", "Erf"), _model("b.tflite", "tflite-flex")]
    with pytest.raises(InvalidInput) as raised:
        flex.check(models)
    assert [line.partition(":")[0] for line in str(raised.value).splitlines()] == ["a", "b.tflite"]


def test_models_that_need_no_library() -> None:
    models = [_model(name, "tflite-flex") for name in ("m.tflite", "n.tflite")]
    with pytest.raises(CheckFailed) as raised:
        flex.require_ops(
            [*models, _model("o.tflite", "tflite-flex", "Erf"), _model("p.pb", "graphdef")]
        )
    assert [p.what.partition(" ")[0] for p in raised.value.problems] == ["m.tflite", "n.tflite"]
    assert "has no TensorFlow ops" in str(raised.value)
    flex.require_ops([_model("o.tflite", "tflite-flex", "Erf"), _model("p.pb", "graphdef")])
