"""Tests of C++ string literals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.emit.cstring import quote
from tfcarve.registry.cpp import unquote


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("Op<A, b>", '"Op<A, b>"'),
        ('"\\', r'"\"\\"'),
        ("a\nb", r'"a\012b"'),
        ("??/", r'"\?\?/"'),
        ("ä", r'"\303\244"'),
    ],
)
def test_quote(text: str, literal: str) -> None:
    assert quote(text) == literal


@given(st.text())
def test_round_trip(text: str) -> None:
    literal = quote(text)
    assert unquote(literal) == text
    assert literal.isascii() and "\n" not in literal
