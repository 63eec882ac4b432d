"""Tests of the rules for what the runtime adds."""

from typing import Any

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.selection.runtime_rules import Rule, load, parse

_ROW = {"id": "a", "ops": ["NoOp"], "source": "a.cc", "why": "so\n  it is"}


def test_parse() -> None:
    full = {
        **_ROW,
        "when": ["If"],
        "like": "T",
        "replaced": True,
        "compiles": ["a.cc"],
    }
    assert parse({"rules": [_ROW, full]}, "r.yaml") == (
        Rule("a", ("NoOp",), frozenset(), "", False, (), "a.cc", "so it is"),
        Rule("a", ("NoOp",), frozenset(["If"]), "T", True, ("a.cc",), "a.cc", "so it is"),
    )


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"rules": 1},
        {"rules": [], "extra": 1},
        {"rules": [1]},
        {"rules": [{**_ROW, "extra": 1}]},
        {"rules": [{"id": "a"}]},
    ],
)
def test_wrong_rules(document: Any) -> None:
    with pytest.raises(InvalidInput, match="r.yaml: "):
        parse(document, "r.yaml")


def test_the_rules_that_come_along() -> None:
    rules = load(known.release())
    assert len({rule.id for rule in rules}) == len(rules)
    always = {op for rule in rules if not rule.when for op in rule.ops}
    assert always == {"NoOp", "_Arg", "_Retval", "_Send", "_Recv", "Const"}
