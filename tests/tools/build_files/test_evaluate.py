"""Tests of evaluating BUILD files."""

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.build_files.evaluate import BuildFileError, evaluate

_FILES = ["a.cc", "a.h", "a_test.cc", "sub/b.cc", "sub/deep/c.cc"]


def _srcs(expression: str, before: str = "") -> object:
    load = 'load("//x.bzl", "if_cuda", "macro", "unknown", macros = "renamed")'
    text = f'{load}\n{before}\nfilegroup(name = "x", srcs = {expression})\n'
    return evaluate(text, "pkg", _FILES)["x"].attrs["srcs"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('["a.cc"]', ["a.cc"]),
        ('["a.cc"] + ["a.h"]', ["a.cc", "a.h"]),
        ('glob(["*.cc"])', ["a.cc", "a_test.cc"]),
        ('glob(["*.cc"], exclude = ["*_test.cc"])', ["a.cc"]),
        ('glob(["**/*.cc"], exclude = ["*_test.cc"])', ["a.cc", "sub/b.cc", "sub/deep/c.cc"]),
        ('glob(["sub/**"])', ["sub/b.cc", "sub/deep/c.cc"]),
        ('[n + ".cc" for n in ["a", "b"] if n]', ["a.cc", "b.cc"]),
        ('["%s.cc" % n for n in ["a", "b"]]', ["a.cc", "b.cc"]),
        ('["{}.cc".format(n) for n in ["a"]]', ["a.cc"]),
        ('select({"//c:win": ["w.cc"], "//conditions:default": ["a.cc"]})', ["a.cc"]),
        ('if_mobile(["a.cc"])', ["a.cc"]),
        ('if_cuda(["gpu.cc"])', []),
        ("macro()", []),
        ("macros.field", []),
        ("macros.call()", []),
        ('["a.cc", "b.cc"][0:1]', ["a.cc"]),
        ('{"a": ["a.cc"]}["a"]', ["a.cc"]),
        ('{"a": ["a.cc"]}.get("b", ["b.cc"])', ["b.cc"]),
        ('dict({"a": 1}, b = 2).keys()', ["a", "b"]),
        ('["a.cc"] * 2', ["a.cc", "a.cc"]),
        ('["a.cc"] if not 1 > 2 and "a" in ["a"] else []', ["a.cc"]),
        ('{n: 1 for n in ["a.cc"]}.keys()', ["a.cc"]),
        ("[-1]", [-1]),
        ('["a.cc"] if True else ["b.cc"]', ["a.cc"]),
    ],
)
def test_expression(expression: str, expected: list[str]) -> None:
    assert _srcs(expression) == expected


def test_variables() -> None:
    assert _srcs("LIST + MORE", 'LIST = ["a.cc"]\nMORE = glob(["sub/*"])') == ["a.cc", "sub/b.cc"]


def test_rules_in_a_comprehension() -> None:
    rules = evaluate('[cc_library(name = n, srcs = [n + ".cc"]) for n in ["p", "q"]]', "pkg", [])
    assert sorted(rules) == ["p", "q"]
    assert rules["q"].labels("srcs") == ["q.cc"]


def test_nothing_is_executed(tmp_path: Path) -> None:
    """Python's functions are unknown, even if a file loads a macro of the same name."""
    made = tmp_path / "made"
    with pytest.raises(BuildFileError, match="the function 'open' is neither loaded nor known"):
        evaluate(f'x = open("{made}", "w")', "pkg", [])
    evaluate(f'load("//x.bzl", "open")\nx = open("{made}", "w")\n', "pkg", [])
    assert not made.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("for x in []:\n  y = 1", "a BUILD file has no statement of the kind 'for'"),
        ("def f():\n  return 1", "a BUILD file has no statement of the kind 'functiondef'"),
        ("import os", "a BUILD file has no statement of the kind 'import'"),
        ("x = lambda: 1", "syntax that is not evaluated: lambda: 1"),
        ("x = {1, 2}", "syntax that is not evaluated: {1, 2}"),
        ('x = f"{1}"', "syntax that is not evaluated: "),
        ("x = ~1", "syntax that is not evaluated: ~1"),
        ("x = 1 is 1", "syntax that is not evaluated: 1 is 1"),
        ("x = 7 // 2", "an operator that is not evaluated: 7 // 2"),
        ("x = y", "the name 'y' is neither loaded nor assigned"),
        ("x = y()", "the function 'y' is neither loaded nor known"),
        ('x = "a".split("b")', "a method that is not evaluated: 'a'.split('b')"),
        ('x = "a".field', "syntax that is not evaluated: 'a'.field"),
    ],
)
def test_unknown_syntax(text: str, message: str) -> None:
    """It is an error with file and line, and not an empty list."""
    with pytest.raises(BuildFileError, match=r"^p/BUILD:2: " + re.escape(message)):
        evaluate(f"# first line\n{text}", "p", [])


def test_syntax_error() -> None:
    with pytest.raises(BuildFileError, match=r"pkg/BUILD:2: "):
        evaluate("a = 1\n}{\n", "pkg", [])


@pytest.mark.parametrize(
    "value",
    ['glob(["a"], exclude = [["b"]])', "{[]: 1}", "\0", "(" * 300, "-" * 99999 + "1"],
    ids=["a list in glob", "a list as a key", "a zero byte", "brackets", "nested too deeply"],
)
def test_invalid_values(value: str) -> None:
    with pytest.raises(BuildFileError, match="^p/BUILD"):
        evaluate(f"x = {value}", "p", ["a"])


@pytest.mark.parametrize(
    ("first", "repeated", "times"),
    [
        ('x = "a"', "x = x + x", 60),
        ("x = [1]", "x = x + x", 60),
        ('x = "a"', 'x = "%s%s" % (x, x)', 60),
        ('x = "a"', 'x = "{0}{0}".format(x)', 60),
        ('x = "aa"', 'x = x.replace("a", "aa")', 60),
        ('x = "aa"', "x = x.join([x, x, x])", 60),
        ("x = [1, 2]", "x = [y for y in x for z in x]", 6),
        ("x = [1, 2]", "x = [(y, z) for y in x for z in x]", 6),
    ],
)  # fmt: skip
def test_exponential_growth(first: str, repeated: str, times: int) -> None:
    """Each line doubles the value of the previous line."""
    evaluate("\n".join([first, repeated, repeated]), "p", ["a"])
    with pytest.raises(BuildFileError, match="^p/BUILD: .*it evaluates to more than"):
        evaluate("\n".join([first, *[repeated] * times]), "p", ["a"])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('"%999999999d" % 1', "conversions such as %s only"),
        ('"%.999999999f" % 1', "conversions such as %s only"),
        ('"%*d" % (999999999, 1)', "conversions such as %s only"),
        ('"%(x)s" % 1', "conversions such as %s only"),
        ('"{:>999999999}".format(1)', r"the fields \{\} and \{0\} only"),
        ('"{0.__class__}".format(1)', r"the fields \{\} and \{0\} only"),
        ('"{0[0]}".format("a")', r"the fields \{\} and \{0\} only"),
        ("{((1,),): 1}", "a dictionary key must be"),
    ],
)
def test_not_starlark(expression: str, message: str) -> None:
    with pytest.raises(BuildFileError, match=f"p/BUILD: invalid: .*{message}"):
        evaluate(f"x = {expression}", "p", [])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('["%s-%d%%" % ("a", 1)]', ["a-1%"]),
        ('["{}{{}}{}".format("a", 1)]', ["a{}1"]),
        ('["%s.cc" % unknown()]', ["%s.cc"]),
        ('["%s%s" % "a"]', ["%s%s"]),
        ('["-".join(["a", "b"])]', ["a-b"]),
        ('["aba".replace("a", "cc")]', ["ccbcc"]),
        ('{("a", 1): ["b"]}.values()', [["b"]]),
    ],
)
def test_strings(expression: str, expected: list[object]) -> None:
    assert _srcs(expression) == expected


def test_too_long() -> None:
    assert evaluate("x = 1 #" + "x" * (1 << 19), "p", []) == {}
    with pytest.raises(BuildFileError, match="^p/BUILD: has more than"):
        evaluate("x = 1 #" + "x" * (1 << 20), "p", [])
    assert evaluate("x = [" + "1, " * 10_000 + "]", "p", []) == {}
    with pytest.raises(BuildFileError, match="^p/BUILD: has more than"):
        evaluate("x = [" + "1, " * 20_000 + "]", "p", [])


def test_parser_warnings_are_suppressed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate('x = "\\d"', "p", [])


def _matches(glob: str, name: str) -> bool:
    """A reference implementation of Bazel's globs that tries every way to divide the name."""
    if "/" not in glob:
        return "/" not in name and bool(re.fullmatch(re.escape(glob).replace(r"\*", ".*"), name))
    first, rest = glob.split("/", 1)
    if first == "**":
        return any(_matches(rest, part) for part in _ends(name))
    head, slash, tail = name.partition("/")
    return bool(slash) and _matches(first, head) and _matches(rest, tail)


def _ends(name: str) -> list[str]:
    """Returns the name, and the name without its first folder, its first two folders, and so on."""
    return [name[place:] for place in range(len(name)) if place == 0 or name[place - 1] == "/"]


_PART = st.text("ab*", min_size=1, max_size=4).filter(lambda part: "**" not in part)
_GLOB = st.lists(_PART | st.just("**"), min_size=1, max_size=5).map("/".join)
_FILE = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@given(_GLOB.filter(lambda glob: not glob.endswith("**")), st.lists(_FILE, max_size=5))
def test_globs_match_the_reference(glob: str, files: list[str]) -> None:
    rules = evaluate(f'f(name = "x", srcs = glob(["{glob}"]))', "p", files)
    assert rules["x"].attrs["srcs"] == sorted(f for f in files if _matches(glob, f))


@pytest.mark.parametrize("glob", ["*a" * 30 + "b", "**/*a/" * 30 + "b", "**/a" * 30 + "*b"])
def test_globs_with_many_wildcards_are_fast(glob: str) -> None:
    file = "/".join(["a" * 200] * 10)
    rules = evaluate(f'f(name = "x", srcs = glob(["{glob}"]))', "p", [file])
    assert rules["x"].attrs["srcs"] == []
