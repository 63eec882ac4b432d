"""evaluate(): a BUILD file's text to its rules."""

from pathlib import Path

import pytest

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
