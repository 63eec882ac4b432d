"""Tests of the selection's JSON form."""

import json
from typing import Any

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.registry.index import TensorflowFacts
from tfcarve.selection.selection import (
    Leftover,
    ModelFacts,
    Need,
    RuntimeOp,
    SelectedKernel,
    SelectedOp,
    Selection,
    parse,
)

_NEEDS = (Need("m.pb", "", "a"), Need("m.pb", "f", "b"))
_SELECTION = Selection(
    TensorflowFacts("9.8.7", "ab", ("A",)),
    (ModelFacts("m.pb", "00", "graphdef"), ModelFacts("s", "11", "saved_model", ("serve",))),
    (SelectedOp("Relu", "ops.cc", False, _NEEDS), SelectedOp("NoOp", "ops.cc", True, ())),
    (
        SelectedKernel("NoOp", "NoOp", "no_op.cc", (), "", True, ()),
        SelectedKernel(
            "Relu",
            "ReluOp<A, float>",
            "relu.cc",
            (("T", ("float32",)),),
            "fast",
            False,
            _NEEDS,
            ("the only one",),
        ),
    ),
    ("no_op.cc", "ops.cc", "relu.cc"),
    ("help.cc",),
    (RuntimeOp("NoOp", "always"),),
    (("relu.cc", ("help.cc",)),),
    (Leftover("asserts", "Relu", False, "strip_unused_nodes", _NEEDS[:1]),),
)


def test_round_trip() -> None:
    data = _SELECTION.to_json()
    assert parse(data, "s.json") == _SELECTION
    assert parse(data, "s.json").to_json() == data


def test_lists_by_file() -> None:
    assert _SELECTION.classes_by_file() == {
        "no_op.cc": (),
        "ops.cc": (),
        "relu.cc": ("ReluOp<A, float>",),
    }
    assert _SELECTION.ops_by_file() == {"no_op.cc": (), "ops.cc": ("Relu",), "relu.cc": ("Relu",)}


def _changed(**changes: Any) -> bytes:
    return json.dumps({**json.loads(_SELECTION.to_json()), **changes}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no selection.json"),
        (b"[]", "selection: an object was expected"),
        (b"{}", "selection of version None"),
        (_changed(version=9), "selection of version 9, this tfcarve reads version 1"),
        (_changed(extra=1), "selection: unknown key 'extra'"),
        (_changed(models=[{"extra": 1}]), "models: unknown key 'extra'"),
        (_changed(ops=[{"extra": 1}]), "ops: unknown key 'extra'"),
        (_changed(kernels=[{"extra": 1}]), "kernels: unknown key 'extra'"),
        (_changed(added_by_runtime=[{"extra": 1}]), "added_by_runtime: unknown key 'extra'"),
        (
            _changed(ops=[{"name": "A", "file": "ops.cc", "needed_by": [{"extra": 1}]}]),
            "needed_by: unknown key",
        ),
        (_changed(ops=[{"name": "A"}]), "no selection.json: 'file'"),
        (_changed(leftovers=[{"extra": 1}]), "leftovers: unknown key 'extra'"),
        (_changed(files=[3]), "'files'\\[0\\]: a string was expected, not 3"),
        (_changed(files=[]), 'no_op.cc is needed but not in "files"'),
    ],
)
def test_wrong_selection(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(data, "s.json")
