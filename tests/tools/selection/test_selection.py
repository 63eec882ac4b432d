"""Tests of selections and their JSON form."""

import json
from typing import Any

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.registry.index import TensorflowFacts
from tfcarve.selection.need import Need
from tfcarve.selection.selection import (
    Leftover,
    ModelFacts,
    RuntimeOp,
    SelectedKernel,
    SelectedOp,
    Selection,
    parse,
)

_NEEDS = (Need("m.pb", "a"), Need("m.pb", "b", "f"))
_SERVE = Signature(
    inputs=(SignatureTensor("x", ("in:0",), "float32", (-1, 3)),),
    outputs=(SignatureTensor("y", ("out:0",), "", None),),
)
_SELECTION = Selection(
    tensorflow=TensorflowFacts("9.8.7", "ab", ("A",)),
    models=(
        ModelFacts("m.pb", "00", "graphdef"),
        ModelFacts("s", "11", "saved_model", {"serve": _SERVE}),
    ),
    ops=(
        SelectedOp(name="Relu", file="ops.cc", needed_by=_NEEDS),
        SelectedOp(name="NoOp", file="ops.cc", system=True, needed_by=()),
    ),
    kernels=(
        SelectedKernel(
            op="NoOp", clazz="NoOp", file="no_op.cc", constraints={}, system=True, needed_by=()
        ),
        SelectedKernel(
            op="Relu",
            clazz="ReluOp<A, float>",
            file="relu.cc",
            constraints={"T": ("float32",)},
            label="fast",
            needed_by=_NEEDS,
            why=("the only one",),
        ),
    ),
    files=("no_op.cc", "ops.cc", "relu.cc"),
    helpers=("help.cc",),
    helpers_of={"relu.cc": ("help.cc",)},
    added_by_runtime=(RuntimeOp("NoOp", "always"),),
    leftovers=(Leftover("asserts", "Relu", False, "strip_unused_nodes", _NEEDS[:1]),),
)


def test_round_trip() -> None:
    data = _SELECTION.to_json()
    assert parse(data, "s.json") == _SELECTION
    assert parse(data, "s.json").to_json() == data


def test_layout() -> None:
    document = json.loads(_SELECTION.to_json())
    assert (json.dumps(document, indent=1) + "\n").encode() == _SELECTION.to_json()
    assert list(document) == [
        "version", "tensorflow", "models", "ops", "kernels", "files", "helpers", "helpers_of",
        "added_by_runtime", "leftovers", "gradient_files", "runtime", "session_reasons", "control_flow",
    ]  # fmt: skip
    assert document["models"][1] == {
        "path": "s",
        "sha256": "11",
        "format": "saved_model",
        "signatures": {
            "serve": {
                "inputs": [
                    {"name": "x", "tensors": ["in:0"], "dtype": "float32", "shape": [-1, 3]}
                ],
                "outputs": [{"name": "y", "tensors": ["out:0"], "dtype": "", "shape": None}],
            }
        },
    }
    assert document["kernels"][1] == {
        "op": "Relu",
        "class": "ReluOp<A, float>",
        "file": "relu.cc",
        "constraints": {"T": ["float32"]},
        "label": "fast",
        "system": False,
        "needed_by": [
            {"model": "m.pb", "node": "a"},
            {"model": "m.pb", "node": "b", "function": "f"},
        ],
        "why": ["the only one"],
    }


def test_needs_are_sorted_by_function() -> None:
    needs = [Need("m", "a", "F"), Need("m", "b", "F"), Need("m", "z"), Need("l", "z", "G")]
    assert sorted(needs) == [needs[3], needs[2], needs[0], needs[1]]


def test_lists_by_file() -> None:
    assert _SELECTION.classes_by_file() == {
        "no_op.cc": (),
        "ops.cc": (),
        "relu.cc": ("ReluOp<A, float>",),
    }
    assert _SELECTION.ops_by_file() == {"no_op.cc": (), "ops.cc": ("Relu",), "relu.cc": ("Relu",)}


def _changed(**changes: Any) -> bytes:
    return json.dumps({**json.loads(_SELECTION.to_json()), **changes}).encode()


def test_optional_fields() -> None:
    minimal = {"op": "A", "class": "AOp", "file": "ops.cc", "constraints": {}, "needed_by": []}
    (kernel,) = parse(_changed(kernels=[minimal]), "s.json").kernels
    assert (kernel.label, kernel.system, kernel.why) == ("", False, ())


_OP = {"name": "A", "file": "ops.cc"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "s.json: Input data was truncated"),
        (b"[]", "s.json: Expected `object`, got `array`"),
        (b"{}", "s.json: version None is not supported: this tfcarve reads version 1: create it again"),
        (_changed(version=9), "s.json: version 9 is not supported: this tfcarve reads version 1: create it again"),
        (_changed(extra=1), "s.json: Object contains unknown field `extra`"),
        (_changed(models=[{"extra": 1}]), "unknown field `extra` - at `$.models[0]`"),
        (_changed(ops=[{"extra": 1}]), "unknown field `extra` - at `$.ops[0]`"),
        (_changed(kernels=[{"extra": 1}]), "unknown field `extra` - at `$.kernels[0]`"),
        (_changed(added_by_runtime=[{"extra": 1}]), "unknown field `extra` - at `$.added_by_runtime[0]`"),
        (_changed(ops=[{**_OP, "needed_by": [{"extra": 1}]}]), "unknown field `extra` - at `$.ops[0].needed_by[0]`"),
        (_changed(ops=[{"name": "A"}]), "missing required field `file` - at `$.ops[0]`"),
        (_changed(leftovers=[{"extra": 1}]), "unknown field `extra` - at `$.leftovers[0]`"),
        (_changed(files=[3]), "Expected `str`, got `int` - at `$.files[0]`"),
        (_changed(files=[]), 's.json: no_op.cc is needed but not in "files": create it again'),
    ],
)  # fmt: skip
def test_invalid_selection(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(data, "s.json")
    assert message in str(caught.value)
