"""Tests of the rules for ops that the runtime adds."""

import re
from typing import Any

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.selection.runtime_rules import Rule, load, parse

_ROW = {"id": "a", "ops": ["NoOp"], "source": "a.cc", "why": "so it is"}


def test_parse() -> None:
    full = {
        **_ROW,
        "when": ["If"],
        "like": "T",
        "replaced": True,
        "compiles": ["a.cc"],
    }
    assert parse({"rules": [_ROW, full]}, "r.yaml") == (
        Rule(id="a", ops=("NoOp",), source="a.cc", why="so it is"),
        Rule(
            id="a",
            ops=("NoOp",),
            when=frozenset(["If"]),
            like="T",
            replaced=True,
            compiles=("a.cc",),
            source="a.cc",
            why="so it is",
        ),
    )


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (None, "Expected `object`, got `null`"),
        ([], "Expected `object`, got `array`"),
        ({}, "Object missing required field `rules`"),
        ({"rules": 1}, "Expected `array`, got `int` - at `$.rules`"),
        ({"rules": [], "extra": 1}, "Object contains unknown field `extra`"),
        ({"rules": [1]}, "Expected `object`, got `int` - at `$.rules[0]`"),
        ({"rules": [{**_ROW, "extra": 1}]}, "unknown field `extra` - at `$.rules[0]`"),
        ({"rules": [{"id": "a"}]}, "missing required field `ops` - at `$.rules[0]`"),
        ({"rules": [{**_ROW, "when": "If"}]}, "Expected `array`, got `str` - at `$.rules[0].when`"),
    ],
)
def test_invalid_rules(document: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"r.yaml: .*{re.escape(message)}"):
        parse(document, "r.yaml")


def test_rules_of_tfcarve() -> None:
    rules = load(known.release())
    assert len({rule.id for rule in rules}) == len(rules)
    always = {op for rule in rules if not rule.when for op in rule.ops}
    assert always == {"NoOp", "_Arg", "_Retval", "_Send", "_Recv", "Const"}
