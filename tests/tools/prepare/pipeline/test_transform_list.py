"""Tests of parsing a list of transforms."""

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.prepare.pipeline.transform_list import Step, parse


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("a", [Step("a", {})]),
        (" a\n  b ", [Step("a", {}), Step("b", {})]),
        ("a()b", [Step("a", {}), Step("b", {})]),
        (
            'strip(type=float, shape="1,299,299,3") fold(ignore_errors=true)',
            [
                Step("strip", {"type": ("float",), "shape": ("1,299,299,3",)}),
                Step("fold", {"ignore_errors": ("true",)}),
            ],
        ),
        (
            "remove(op=Identity, op=CheckNumerics)",
            [Step("remove", {"op": ("Identity", "CheckNumerics")})],
        ),
        ("a(x=-1.5,y=b/c_d)", [Step("a", {"x": ("-1.5",), "y": ("b/c_d",)})]),
        (
            "strip(name=a type=b\n  name=c)",
            [Step("strip", {"name": ("a", "c"), "type": ("b",)})],
        ),
    ],
)
def test_parse(text: str, steps: list[Step]) -> None:
    assert parse(text) == steps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the list is empty: name at least one"),
        ("(", r"character 0: expected a transform's name, found '\('"),
        ("a(", r"character 2: expected a parameter's name or \), found the end"),
        ("a(b)", r"character 3: expected = after 'b', found '\)'"),
        ("a(b=)", r"character 4: expected a value"),
        ('a(b="c', r"character 4: expected a value"),
        ("a, b", r"character 1: expected a transform's name"),
    ],
)
def test_syntax_errors(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(text)
