"""Tests of ops lists."""

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import RequestedOp
from tfcarve.models.ops_list import OpsList, from_json, from_yaml


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ('[["Add", "AddOp"]]', (RequestedOp("Add", "AddOp"),)),
        ('[["Add", null], ["Add", null]]', (RequestedOp("Add", ""),)),
        ('[["Add", "A"], ["Sub", "S"]]', (RequestedOp("Add", "A"), RequestedOp("Sub", "S"))),
    ],
)
def test_json(text: str, requests: tuple[RequestedOp, ...]) -> None:
    assert from_json(text.encode(), "l.json") == OpsList(requests)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Input data was truncated"),
        ("[" * 100_000, r"Expected `str`, got `array` - at `\$\[0\]\[0\]`"),
        ("[" + "[]," * 200_000 + "[]]", "600,004 bytes: too many small values"),
        ("[" + '["A","AOp<CPUDevice>"],' * 50_000 + '["A",""]]', "50001 entries: at most 50000"),
        ("{}", "Expected `array`, got `object`"),
        ("[]", "is empty: a list of"),
        ('["Add"]', r"Expected `array`, got `str` - at `\$\[0\]`"),
        ('[["Add", 3]]', r"Expected `str \| null`, got `int` - at `\$\[0\]\[1\]`"),
        ('[["Add"]]', r"Expected `array` of length 2 - at `\$\[0\]`"),
        ('[["a b", null]]', "entry 0: 'a b' is not an op name"),
    ],
)
def test_invalid_json(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        from_json(text.encode(), "l.json")


@pytest.mark.parametrize(
    ("text", "requests"),
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
def test_yaml(text: str, requests: tuple[RequestedOp, ...]) -> None:
    assert from_yaml(text.encode(), "l.yaml") == OpsList(requests)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expected `object`, got `null`"),
        ("ops: []", "a list `ops` was expected"),
        ("ops: [", "invalid YAML"),
        ("{ops: [Add], extra: 1}", "Object contains unknown field `extra`"),
        ("{ops: [Add], dtypes: float}", r"Expected `array`, got `str` - at `\$.dtypes`"),
        ("{ops: [Add], dtypes: [flout]}", "unknown data type 'flout': known are float32"),
        ("{ops: [Add], training: 1}", r"Expected `bool`, got `int` - at `\$.training`"),
        ("{ops: [], training: false}", "a list `ops` was expected"),
        ("ops: [3]", r"Expected `str \| object`, got `int` - at `\$.ops\[0\]`"),
        ("ops: [{op: Add, extra: 1}]", r"unknown field `extra` - at `\$.ops\[0\]`"),
        ("ops: [{types: [float]}]", r"missing required field `op` - at `\$.ops\[0\]`"),
        ("ops: [{op: Add, types: }]", r"Expected `array`, got `null` - at `\$.ops\[0\].types`"),
        ("ops: [{op: a b}]", "'a b' is not an op name"),
        ("ops: [{op: Add, classes: x}]", r"Expected `array`, got `str` - at `\$.ops\[0\].classes`"),
        ("ops: [!!python/name:os.system ]", "line 1: anchors, aliases and tags are not supported"),
    ],
)
def test_invalid_yaml(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        from_yaml(text.encode(), "l.yaml")


@pytest.mark.parametrize("text", ["training: true", "{ops: [], training: true}"])
def test_training(text: str) -> None:
    assert from_yaml(text.encode(), "l.yaml") == OpsList((), training=True)
    assert not from_yaml(b"ops: [Add]", "l.yaml").training
