"""Tests of the C++ scanner."""

import pytest

from tfcarve.registry import cpp


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ('""', ""),
        ('"abc"', "abc"),
        (r'"a\"b\\c"', 'a"b\\c'),
        (r'"\x41\101\n"', "AA\n"),
        ('R"doc(a "quoted" \\n)doc"', 'a "quoted" \\n'),
        ('u8"x"', "x"),
    ],
)
def test_unquote(literal: str, value: str) -> None:
    assert cpp.unquote(literal) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [('"a" "b"', "ab"), ('"a" // why\n "b"', "ab"), ("kName", None), ('f("a")', None), ("", None)],
)
def test_literal(text: str, value: str | None) -> None:
    assert cpp.literal(text) == value


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("()", ()),
        ("(a)", ("a",)),
        ("(a, b)", ("a", "b")),
        ("(\",\", ')')", ('","', "')'")),
        ("(f(a, b), {c, d}, [e, f])", ("f(a, b)", "{c, d}", "[e, f]")),
        ("(a, )", ("a", "")),
        ('(R"(,))")', ('R"(,))"',)),
    ],
)
def test_balanced(text: str, arguments: tuple[str, ...]) -> None:
    assert cpp.balanced(text, 0) == (arguments, len(text))


@pytest.mark.parametrize("text", ["(", "(a", "(a]", '("a', "({)}"])
def test_unterminated_bracket(text: str) -> None:
    with pytest.raises(ValueError, match="unterminated bracket"):
        cpp.balanced(text, 0)


def test_chain() -> None:
    calls, end = cpp.chain('Name("A").Device(DEVICE_CPU).TypeConstraint<std::vector<int>>("T") ;')
    assert calls == (
        cpp.Call("Name", "", ('"A"',)),
        cpp.Call("Device", "", ("DEVICE_CPU",)),
        cpp.Call("TypeConstraint", "std::vector<int>", ('"T"',)),
    )
    assert end == len('Name("A").Device(DEVICE_CPU).TypeConstraint<std::vector<int>>("T")')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a call"),
        ("Name", r"expected '\('"),
        ('Name("a").', "expected a call"),
        ('f<int("a")', "unterminated '<'"),
    ],
)
def test_no_chain(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cpp.chain(text)
