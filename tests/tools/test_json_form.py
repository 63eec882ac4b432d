"""Tests of checking a JSON document's form."""

from typing import Any

import pytest

from tfcarve.json_form import Each, FormError, check

_FORM = {"name": str, "line": int, "on": bool, "tags": [str], "of": Each([int]), "any": None}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"name": "a", "line": 1, "on": True, "tags": [], "of": {}, "any": [{}]},
        {"tags": ["a", "b"], "of": {"x": [1], "y": []}, "not in the form": 1},
    ],
)
def test_fits(value: Any) -> None:
    check(value, _FORM, "d")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "d: an object was expected, not 3"),
        ({"name": 1}, "d: 'name': a string was expected, not 1"),
        ({"name": None}, "d: 'name': a string was expected, not None"),
        ({"line": True}, "d: 'line': a number was expected, not True"),
        ({"on": 1}, "d: 'on': true or false was expected, not 1"),
        ({"tags": "a"}, "d: 'tags': a list was expected, not 'a'"),
        ({"tags": ["a", []]}, "d: 'tags'[1]: a string was expected, not []"),
        ({"of": []}, "d: 'of': an object was expected, not []"),
        ({"of": {"x": [1.5]}}, "d: 'of': 'x'[0]: a number was expected, not 1.5"),
    ],
)
def test_does_not_fit(value: Any, message: str) -> None:
    with pytest.raises(FormError) as caught:
        check(value, _FORM, "d")
    assert str(caught.value) == message
