"""Tests of ops lists."""

import pytest

from tfcarve.models.node_use import RequestedOp
from tfcarve.models.ops_list import ListError, OpsList, from_json, from_yaml


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ('[["Add", "AddOp"]]', (RequestedOp("Add", "AddOp"),)),
        ('[["Add", null], ["Add", null]]', (RequestedOp("Add", ""),)),
        ('[["Add", "A"], ["Sub", "S"]]', (RequestedOp("Add", "A"), RequestedOp("Sub", "S"))),
    ],
)
def test_json(text: str, asks: tuple[RequestedOp, ...]) -> None:
    assert from_json(text) == OpsList(asks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[" + "[]," * 200_000 + "[]]", "no JSON: 600004 characters of tiny values"),
        ("[" + '["A","AOp<CPUDevice>"],' * 50_000 + '["A",""]]', "50001 entries: at most 50000"),
        ("{}", "a list of"),
        ("[]", "a list of"),
        ('["Add"]', "entry 0: "),
        ('[["Add", 3]]', "entry 0: "),
        ('[["a b", null]]', "entry 0: 'a b' is no name of an op"),
    ],
)
def test_wrong_json(text: str, message: str) -> None:
    with pytest.raises(ListError, match=message):
        from_json(text)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("ops: [Add]", (RequestedOp("Add"),)),
        ("{ops: [Add], dtypes: [float, int32]}", (RequestedOp("Add", None, ("float32", "int32")),)),
        ("ops: [{op: Add, types: [half]}]", (RequestedOp("Add", None, ("float16",)),)),
        (
            "ops: [{op: Add, classes: ['A<b>', C]}]",
            (RequestedOp("Add", "A<b>"), RequestedOp("Add", "C")),
        ),
    ],
)
def test_yaml(text: str, asks: tuple[RequestedOp, ...]) -> None:
    assert from_yaml(text) == OpsList(asks)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a list `ops` was expected"),
        ("ops: []", "a list `ops` was expected"),
        ("ops: [", "no YAML"),
        ("{ops: [Add], extra: 1}", "unknown key 'extra': known are dtypes, ops, training"),
        ("{ops: [Add], dtypes: float}", "dtypes: a list of data types"),
        ("{ops: [Add], dtypes: [flout]}", "unknown data type 'flout': known are float32"),
        ("{ops: [Add], training: 1}", "training: true or false was expected, not 1"),
        ("{ops: [], training: false}", "a list `ops` was expected"),
        ("ops: [3]", "entry 0 of ops: a name or a mapping"),
        ("ops: [{op: Add, extra: 1}]", "entry 0 of ops: a name or a mapping"),
        ("ops: [{op: a b}]", "'a b' is no name of an op"),
        ("ops: [{op: Add, classes: x}]", "classes: a list of kernel classes"),
        ("ops: [!!python/name:os.system ]", "line 1: anchors, aliases and tags are not read"),
    ],
)
def test_wrong_yaml(text: str, message: str) -> None:
    with pytest.raises(ListError, match=message):
        from_yaml(text)


@pytest.mark.parametrize("text", ["training: true", "{ops: [], training: true}"])
def test_training(text: str) -> None:
    assert from_yaml(text) == OpsList((), training=True)
    assert not from_yaml("ops: [Add]").training
