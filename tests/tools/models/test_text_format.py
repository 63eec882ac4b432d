"""Tests of the text format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.models.text_format import Message, Scalar, TextError, parse


def test_fields() -> None:
    text = """
    # a comment
    a: 1 a: -2.5e3, b: "x" 'y' "\\n\\101\\x41";
    c { d: TRUE } c: < e: [1, 2] > f: [{ g: 1 }, { g: 2 }]
    [ext.name]: 3
    """
    message = parse(text)
    assert message.scalars("a") == [Scalar("1", False), Scalar("-2.5e3", False)]
    assert message.text("b") == "xy\nAA"
    assert [m.text("d") for m in message.messages("c")] == ["TRUE", ""]
    assert [s.text for s in message.messages("c")[1].scalars("e")] == ["1", "2"]
    assert [m.text("g") for m in message.messages("f")] == ["1", "2"]
    assert message.text("[ext.name]") == "3"
    assert parse("") == Message()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "line 1: ':' or '{' was expected after 'a'"),
        ("\n\na: \x01", "line 3: unexpected"),
        ("a: }", "a value was expected"),
        ("a {", "the text ends inside a message"),
        ("a }", "':' or '{' was expected"),
        ("{", "a field's name was expected"),
        ("a: [1 2]", "',' or ']' was expected"),
        ('a: "x', "unexpected"),
        ("a {" * 100, "more than 64 deep"),
    ],
)
def test_no_text(text: str, message: str) -> None:
    with pytest.raises(TextError, match=message):
        parse(text)


@given(st.text(alphabet='ab:{}<>[],;"\\\n 1-', max_size=60))
def test_any_text_ends(text: str) -> None:
    try:
        parse(text)
    except TextError as error:
        assert "line " in str(error)


def test_skipped_fields() -> None:
    text = "a: 1 skip: 2 b { skip: [1, 2] skip { a: 3 } c: 4 } skip < > d: 5"
    made = parse(text, {"skip"})
    assert [name for name, _ in made.fields] == ["a", "b", "d"]
    assert [name for name, _ in made.messages("b")[0].fields] == ["c"]
    with pytest.raises(TextError):
        parse("skip: [1, }", {"skip"})
