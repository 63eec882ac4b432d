"""Tests of checking a JSON document's form."""

from typing import Any

import pytest

from tfcarve.json_form import Each, FormError, check, loads

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


def test_loads() -> None:
    assert (
        loads('{"a": [1, "b", null]}') == loads(b'{"a": [1, "b", null]}') == {"a": [1, "b", None]}
    )
    with pytest.raises(ValueError, match="Expecting value"):
        loads("[")
    with pytest.raises(FormError, match="nested too deep"):
        loads("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize("tiny", ["[]", "{}", '{"a":1}', "[1]"])
def test_documents_of_tiny_values(tiny: str) -> None:
    assert len(loads("[" + f"{tiny}," * 20_000 + "1]")) == 20_001
    with pytest.raises(FormError, match="characters of tiny values: damaged or made to be costly"):
        loads("[" + f"{tiny}," * 1_000_000 + "1]")
