"""evaluate(): a BUILD file's text to its rules."""

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.build_files.evaluate import BuildFileError, evaluate

_FILES = ["a.cc", "a.h", "a_test.cc", "sub/b.cc", "sub/deep/c.cc"]


def _srcs(expression: str, before: str = "") -> object:
    text = f'{before}\nfilegroup(name = "x", srcs = {expression})\n'
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
        ("some_macro_of_theirs()", []),
        ('["a.cc"] if True else ["b.cc"]', ["a.cc"]),
    ],
)
def test_expression(expression: str, expected: list[str]) -> None:
    assert _srcs(expression) == expected


def test_names_are_looked_up() -> None:
    assert _srcs("LIST + MORE", 'LIST = ["a.cc"]\nMORE = glob(["sub/*"])') == ["a.cc", "sub/b.cc"]


def test_rules_of_a_comprehension() -> None:
    rules = evaluate('[cc_library(name = n, srcs = [n + ".cc"]) for n in ["p", "q"]]', "pkg", [])
    assert sorted(rules) == ["p", "q"]
    assert rules["q"].labels("srcs") == ["q.cc"]


def test_nothing_is_executed(tmp_path: Path) -> None:
    """A call of Python's is a call of an unknown macro."""
    made = tmp_path / "made"
    assert evaluate(f'x = open("{made}", "w")\nopen("{made}", "w")\n', "pkg", []) == {}
    assert not made.exists()


def test_no_build_file() -> None:
    with pytest.raises(BuildFileError, match=r"pkg/BUILD:2: "):
        evaluate("a = 1\n}{\n", "pkg", [])


@pytest.mark.parametrize(
    "value",
    ['glob(["a"], exclude = [["b"]])', "{[]: 1}", "\0", "(" * 300, "-" * 99999 + "1"],
    ids=["a list in glob", "a list as a key", "a zero byte", "brackets", "nested too deep"],
)
def test_what_makes_no_sense(value: str) -> None:
    with pytest.raises(BuildFileError, match="^p/BUILD"):
        evaluate(f"x = {value}", "p", ["a"])


@pytest.mark.parametrize(
    ("before", "again", "times"),
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
def test_what_comes_to_too_much(before: str, again: str, times: int) -> None:
    """Each line doubles what the one before made."""
    evaluate("\n".join([before, again, again]), "p", ["a"])
    with pytest.raises(BuildFileError, match="^p/BUILD: .*it comes to more than"):
        evaluate("\n".join([before, *[again] * times]), "p", ["a"])


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ('"%999999999d" % 1', "only %s and its like"),
        ('"%.999999999f" % 1', "only %s and its like"),
        ('"%*d" % (999999999, 1)', "only %s and its like"),
        ('"%(x)s" % 1', "only %s and its like"),
        ('"{:>999999999}".format(1)', "only {} and {0}"),
        ('"{0.__class__}".format(1)', "only {} and {0}"),
        ('"{0[0]}".format("a")', "only {} and {0}"),
        ("{((1,),): 1}", "a key that is neither"),
    ],
)
def test_what_is_no_starlark(expression: str, message: str) -> None:
    with pytest.raises(BuildFileError, match=f"p/BUILD: not as Bazel reads it: .*{message}"):
        evaluate(f"x = {expression}", "p", [])


@pytest.mark.parametrize(
    ("expression", "made"),
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
def test_texts(expression: str, made: list[object]) -> None:
    assert _srcs(expression) == made


def test_too_long() -> None:
    assert evaluate("x = 1 #" + "x" * (1 << 19), "p", []) == {}
    with pytest.raises(BuildFileError, match="^p/BUILD: of more than"):
        evaluate("x = 1 #" + "x" * (1 << 20), "p", [])
    assert evaluate("x = [" + "1, " * 10_000 + "]", "p", []) == {}
    with pytest.raises(BuildFileError, match="^p/BUILD: of more than"):
        evaluate("x = [" + "1, " * 20_000 + "]", "p", [])


def test_the_parsers_warnings_are_not_shown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate('x = "\\d"', "p", [])


def _matches(glob: str, name: str) -> bool:
    """Bazel's globs by the book: every way to divide the name is tried."""
    if "/" not in glob:
        return "/" not in name and bool(re.fullmatch(re.escape(glob).replace(r"\*", ".*"), name))
    first, rest = glob.split("/", 1)
    if first == "**":
        return any(_matches(rest, part) for part in _ends(name))
    head, slash, tail = name.partition("/")
    return bool(slash) and _matches(first, head) and _matches(rest, tail)


def _ends(name: str) -> list[str]:
    """The name, and what is left of it without its first folders."""
    return [name[place:] for place in range(len(name)) if place == 0 or name[place - 1] == "/"]


_PART = st.text("ab*", min_size=1, max_size=4).filter(lambda part: "**" not in part)
_GLOB = st.lists(_PART | st.just("**"), min_size=1, max_size=5).map("/".join)
_FILE = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@given(_GLOB.filter(lambda glob: not glob.endswith("**")), st.lists(_FILE, max_size=5))
def test_globs_match_as_by_the_book(glob: str, files: list[str]) -> None:
    rules = evaluate(f'f(name = "x", srcs = glob(["{glob}"]))', "p", files)
    assert rules["x"].attrs["srcs"] == sorted(f for f in files if _matches(glob, f))


@pytest.mark.parametrize("glob", ["*a" * 30 + "b", "**/*a/" * 30 + "b", "**/a" * 30 + "*b"])
def test_globs_of_many_wildcards_end(glob: str) -> None:
    file = "/".join(["a" * 200] * 10)
    rules = evaluate(f'f(name = "x", srcs = glob(["{glob}"]))', "p", [file])
    assert rules["x"].attrs["srcs"] == []
