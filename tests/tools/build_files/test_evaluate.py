"""Tests of evaluating BUILD files."""

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.build_files.evaluate import BuildFileError, Loaded, evaluate
from tfcarve.errors import InvalidInput

_FILES = ["a.cc", "a.h", "a_test.cc", "sub/b.cc", "sub/deep/c.cc"]


_LOAD = 'load("//x.bzl", "if_cuda", "macro", "unknown", macros = "renamed")'


def _srcs(expression: str, before: str = "") -> object:
    text = f'{_LOAD}\n{before}\nfilegroup(name = "x", srcs = {expression})\n'
    return evaluate(text, "pkg/BUILD", _FILES)["x"].attrs["srcs"]


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
        ('if_static(extra_deps = ["a.cc"], otherwise = ["b.cc"])', ["a.cc"]),
        ('["a.cc"] + if_cuda(["gpu.cc"])', ["a.cc"]),
        ('macro() + ["a.cc"]', ["a.cc"]),
        ('["a.cc"] + macros.field + macros.call()[7]', ["a.cc"]),
        ('[n for n in unknown] + ["a.cc"]', ["a.cc"]),
        ('["a.cc"] + dict(unknown, a = ["b.cc"])["a"]', ["a.cc", "b.cc"]),
        ('select({unknown: ["b.cc"], "//conditions:default": ["a.cc"]})', ["a.cc"]),
        ('glob(["*.cc"], ["*_test.cc"])', ["a.cc"]),
        ('native.glob(include = ["*.cc"], allow_empty = True)', ["a.cc", "a_test.cc"]),
        ('["a.cc"] or ["b.cc"]', ["a.cc"]),
        ('[] and ["b.cc"]', []),
        ('[] or ["a.cc"]', ["a.cc"]),
        ("[1 + 2, 2 * 3]", [3, 6]),
        ('("a.cc",) + ("b.cc",)', ("a.cc", "b.cc")),
        ('dict(**{"a": 1}).keys()', ["a"]),
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


@pytest.mark.parametrize(
    "expression",
    [
        "macro()",
        'if_cuda(["gpu.cc"])',
        "macros.field",
        "macros.call()",
        "unknown[7]",
        '["a.cc"][unknown]',
        '{unknown: ["a.cc"]}["a"]',
        '{unknown: ["a.cc"]}.get("a", ["b.cc"])',
        '{"a": ["a.cc"]}.get(unknown, ["b.cc"])',
        'unknown + "b"',
        "unknown + unknown",
        "unknown * 2",
        'unknown == "a"',
        '"a" in ["b", unknown]',
        '"%s.cc" % unknown',
        '"{}.cc".format(unknown)',
        '"{x}.cc".format(x = unknown)',
        '"a".replace("a", unknown)',
        '",".join(["a", unknown])',
        '",".join(unknown)',
        "glob(unknown)",
        'glob(["*.cc"], exclude = unknown)',
        "select(unknown)",
    ],
)
def test_loaded(expression: str) -> None:
    """A value that depends on a loaded symbol is no list and no string."""
    assert isinstance(_srcs(expression), Loaded)


def test_labels_omit_loaded_values() -> None:
    text = f'{_LOAD}\nf(name = "x", srcs = ["a.cc", unknown, "%s.cc" % unknown], hdrs = macro(), deps = None)'
    rule = evaluate(text, "p/BUILD", [])["x"]
    assert [rule.labels(attr) for attr in ("srcs", "hdrs", "deps", "data")] == [
        ["a.cc"],
        [],
        [],
        [],
    ]


@pytest.mark.parametrize(
    "srcs", ['"b.cc"', "{}", "1", '["b.cc", 1]', '[["b.cc"]]', '["b.cc", None]']
)
def test_labels_that_are_no_list_of_strings(srcs: str) -> None:
    """This fails only if the attribute is read."""
    rule = evaluate(
        f'# first line\nf(name = "x",\n  srcs = {srcs}, hdrs = ["a.h"])', "p/BUILD.upstream", []
    )["x"]
    assert rule.labels("hdrs") == ["a.h"]
    with pytest.raises(
        BuildFileError, match="^p/BUILD.upstream:2: srcs of f 'x' must be a list of strings$"
    ):
        rule.labels("srcs")


def test_the_error_is_of_the_input() -> None:
    """Commands end with its message."""
    with pytest.raises(InvalidInput, match="^BUILD:1: the name 'y' is neither"):
        evaluate("x = y", "BUILD", [])


def test_names_are_those_of_the_last_load_or_assignment() -> None:
    assert _srcs("LIST", 'LIST = ["a.cc"]\nLIST = ["b.cc"]') == ["b.cc"]
    assert isinstance(_srcs("LIST", 'LIST = ["a.cc"]\nload("//y.bzl", "LIST")'), Loaded)
    assert isinstance(_srcs("LIST", "LIST, MORE = macro()"), Loaded)


def test_variables_of_comprehensions_exist_only_in_there() -> None:
    assert _srcs("n", 'n = ["a.cc"]\n[f(name = n) for n in ["b"]]\nm = [n for n in ["c"]]') == [
        "a.cc"
    ]
    with pytest.raises(
        BuildFileError, match="p/BUILD:2: the name 'n' is neither loaded nor assigned"
    ):
        evaluate('x = [n for n in ["a"]]\ny = n', "p/BUILD", [])


def test_variables() -> None:
    assert _srcs("LIST + MORE", 'LIST = ["a.cc"]\nMORE = glob(["sub/*"])') == ["a.cc", "sub/b.cc"]


def test_rules_in_a_comprehension() -> None:
    rules = evaluate(
        '[cc_library(name = n, srcs = [n + ".cc"]) for n in ["p", "q"]]', "pkg/BUILD", []
    )
    assert sorted(rules) == ["p", "q"]
    assert rules["q"].labels("srcs") == ["q.cc"]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ('filegroup(**{"name": "x", "srcs": ["a.cc"]})', "filegroup"),
        ('filegroup(name = "x", **dict(srcs = ["a.cc"]))', "filegroup"),
        ('filegroup(name = "x", srcs = ["a.cc"], **unknown)', "filegroup"),
        ('native.filegroup(name = "x", srcs = ["a.cc"])', "filegroup"),
        ('macros.library(name = "x", srcs = ["a.cc"])', "macros.library"),
        ('[[f(name = n, srcs = ["a.cc"])] for n in ["x"]]', "f"),
    ],
)
def test_declarations(statement: str, kind: str) -> None:
    rules = evaluate(f"{_LOAD}\n{statement}", "p/BUILD", [])
    assert {name: (rule.kind, rule.package) for name, rule in rules.items()} == {"x": (kind, "p")}
    assert rules["x"].labels("srcs") == ["a.cc"]


def test_statements_that_declare_nothing() -> None:
    text = (
        f'"""Text."""\n{_LOAD}\nlicenses(["x"])\nmacro(["a.cc"])\nmacros.call()\nf(name = unknown)'
    )
    assert evaluate(text, "p/BUILD", []) == {}


def test_nothing_is_executed(tmp_path: Path) -> None:
    """Python's functions are unknown, even if a file loads a macro of the same name."""
    made = tmp_path / "made"
    with pytest.raises(BuildFileError, match="the function 'open' is neither loaded nor known"):
        evaluate(f'x = open("{made}", "w")', "pkg/BUILD", [])
    evaluate(f'load("//x.bzl", "open")\nx = open("{made}", "w")\n', "pkg/BUILD", [])
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
        ("x = [1].append(2)", "a method that is not evaluated: [1].append(2)"),
        ('x = "a".replace("a", "b", 1)', "a method that is not evaluated: 'a'.replace("),
        ('x = {}.get(key = "a")', "a method that is not evaluated: {}.get("),
        ("x = {}.keys(1)", "a method that is not evaluated: {}.keys(1)"),
        ("x = [](1)", "syntax that is not evaluated: [](1)"),
        ("[](1)", "syntax that is not evaluated: [](1)"),
        ("y = []; x = y()", "syntax that is not evaluated: y()"),
        ("x = b'a'", "syntax that is not evaluated: b'a'"),
        ("x = ...", "syntax that is not evaluated: ..."),
        ("x = +1", "syntax that is not evaluated: +1"),
        ('x = {**{"a": 1}}', "syntax that is not evaluated: {**{'a': 1}}"),
        ("x = dict([1])", "syntax that is not evaluated: dict([1])"),
        ('x = dict(**["a"])', "not a dictionary with names: ['a']"),
        ('x = dict(**{1: "a"})', "not a dictionary with names: {1: 'a'}"),
        ("f(*[])", "syntax that is not evaluated: *[]"),
        ('x = ["b"] + "c"', "operands that cannot be added: ['b'] + 'c'"),
        ('x = ["b"] + ("c",)', "operands that cannot be added: ['b'] + ('c',)"),
        ('x = None + ["b"]', "operands that cannot be added: None + ['b']"),
        ("x = True + True", "operands that cannot be added: True + True"),
        ('x = {"a": 1} + macro()', "operands that cannot be added: {'a': 1} + macro()"),
        ('x = ["b"] * "c"', "operands that cannot be multiplied: ['b'] * 'c'"),
        ("x = 7 % 2", "an operator that is not evaluated: 7 % 2"),
        ('x = ["b"][7]', "no such key or index: ['b'][7]"),
        ('x = {"a": 1}["b"]', "no such key or index: {'a': 1}['b']"),
        ("x = 1[0]", "invalid: 'int' object is not subscriptable"),
        ('x = [c for c in "abc"]', "neither a list nor a dictionary: 'abc'"),
        ("x = [c for c in None]", "neither a list nor a dictionary: None"),
        ("x = 1 if macro() else 2", "a condition that depends on a loaded symbol: macro()"),
        ("x = not macro()", "a condition that depends on a loaded symbol: macro()"),
        ("x = macro() or []", "a condition that depends on a loaded symbol: macro()"),
        ("x = [c for c in [1] if macro()]", "a condition that depends on a loaded symbol: macro()"),
        ('x = select({"//c:win": []})', "select() needs a dictionary with //conditions:default: "),
        ("x = select([])", "select() needs a dictionary with //conditions:default: "),
        ("x = select()", "syntax that is not evaluated: select()"),
        ("x = if_mobile()", "if_mobile() needs the argument a"),
        ('x = glob("*.cc")', "glob() needs lists of strings: glob('*.cc')"),
        ("x = glob([], exclude = [1])", "glob() needs lists of strings: glob([], exclude=[1])"),
        ("x = glob([], [], 1)", "syntax that is not evaluated: glob([], [], 1)"),
        (
            "x = glob([], exclude_directories = 0)",
            "syntax that is not evaluated: glob([], exclude_",
        ),
        ("x, y = [1]", "not a list of 2 values for (x, y)"),
        ("x, y = 1", "not a list of 2 values for (x, y)"),
        ('x = {}; x["a"] = 1', "syntax that is not evaluated: x['a']"),
        ("load(1)", "syntax that is not evaluated: load(1)"),
        ("x = []; load(x)", "syntax that is not evaluated: load(x)"),
        ('load("//a.bzl", **{})', "syntax that is not evaluated: load('//a.bzl', **{})"),
        ('x = load("//a.bzl")', "the function 'load' is neither loaded nor known"),
        ('filegroup("x")', "the function 'filegroup' is neither loaded nor known"),
        (
            'x = native.cc_library(name = "x")',
            "the function 'cc_library' is neither loaded nor known",
        ),
        ("f(name = 1)", "the name of a rule must be a string: f(name=1)"),
        ('f(name = "x") if True else None', "a statement that declares nothing: f(name='x') if"),
        ("x = 1 < 'a'", "invalid: '<' not supported between"),
        ('x = "%s%s" % "a"', "invalid: not enough arguments for format string"),
        ('x = "%d" % "a"', "invalid: %d format: "),
        ('x = "%s" % [1]', "invalid: a list in a name"),
        ('x = "%r" % "a"', "invalid: '%r': Starlark has conversions such as %s only"),
        ('x = "{}{}".format(1)', "invalid: Replacement index 1 out of range"),
        ('x = "{y}".format(1)', "invalid: 'y'"),
        ('x = ",".join("abc")', "invalid: join() needs a list of strings"),
        ('x = ",".join([1])', "invalid: object of type 'int' has no len()"),
        ("x = [] * 99999999999999999999", "invalid: cannot fit 'int' into an index-sized integer"),
        ("x = {[]: 1}", "a dictionary key must be a string, a number or a tuple of them"),
    ],
)
def test_unknown_syntax(text: str, message: str) -> None:
    """It is an error with file and line, and not an empty list."""
    with pytest.raises(BuildFileError, match=r"^p/BUILD.upstream:2: " + re.escape(message)):
        evaluate(f'load("//x.bzl", "macro")\n{text}', "p/BUILD.upstream", [])


def test_too_many_declared_attributes() -> None:
    numbers = ", ".join(map(str, range(100)))
    text = f'd = {{"a" * i: 1 for i in [{numbers}]}}\n\n[f(name = "x", **d) for i in [1] * 9999]'
    with pytest.raises(BuildFileError, match="^p/BUILD:3: invalid: it evaluates to more than"):
        evaluate(text, "p/BUILD", [])


def test_the_line_is_that_of_the_expression() -> None:
    with pytest.raises(BuildFileError, match="^p/BUILD:3: no such key or index"):
        evaluate('f(\n  name = "x",\n  srcs = [][0],\n)', "p/BUILD", [])


def test_syntax_error() -> None:
    with pytest.raises(BuildFileError, match=r"pkg/BUILD:2: "):
        evaluate("a = 1\n}{\n", "pkg/BUILD", [])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('glob(["a"], exclude = [["b"]])', ":1: glob"),
        ("{[]: 1}", ":1: a dictionary key"),
        ("\0", ": .*null bytes"),
        ("(" * 300, ":1: too many nested"),
        ("-" * 30000 + "1", ": invalid: nested too deeply"),
        ("-" * 99999 + "1", ": has more than"),
    ],
    ids=[
        "a list in glob",
        "a list as a key",
        "a zero byte",
        "brackets",
        "nested too deeply",
        "too long",
    ],
)
def test_invalid_values(value: str, message: str) -> None:
    with pytest.raises(BuildFileError, match=f"^p/BUILD{message}"):
        evaluate(f"x = {value}", "p/BUILD", ["a"])


@pytest.mark.parametrize(
    ("first", "repeated", "times"),
    [
        ('x = "a"', "x = x + x", 60),
        ("x = [1]", "x = x + x", 60),
        ('x = "a"', 'x = "%s%s" % (x, x)', 60),
        ('x = "a"', 'x = "{0}{0}".format(x)', 60),
        ('x = "aa"', 'x = x.replace("a", "aa")', 60),
        ('x = "aa"', "x = x.join([x, x, x])", 60),
        ("x = (1,)", "x = x + x", 60),
        ("x = 99", "x = x * x", 60),
        ("x = [1, 2]", "x = [y for y in x for z in x]", 6),
        ("x = [1, 2]", "x = [(y, z) for y in x for z in x]", 6),
    ],
)  # fmt: skip
def test_exponential_growth(first: str, repeated: str, times: int) -> None:
    """Each line doubles the value of the previous line."""
    evaluate("\n".join([first, repeated, repeated]), "p/BUILD", ["a"])
    with pytest.raises(BuildFileError, match=r"^p/BUILD:\d+: invalid: it evaluates to more than"):
        evaluate("\n".join([first, *[repeated] * times]), "p/BUILD", ["a"])


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
    with pytest.raises(BuildFileError, match=f"^p/BUILD:1: (invalid: )?.*{message}"):
        evaluate(f"x = {expression}", "p/BUILD", [])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('["%s-%d%%" % ("a", 1)]', ["a-1%"]),
        ('["{}{{}}{}".format("a", 1)]', ["a{}1"]),
        ('["{x}-{}".format("a", x = 1)]', ["1-a"]),
        ('["-".join(["a", "b"])]', ["a-b"]),
        ('["aba".replace("a", "cc")]', ["ccbcc"]),
        ('{("a", 1): ["b"]}.values()', [["b"]]),
    ],
)
def test_strings(expression: str, expected: list[object]) -> None:
    assert _srcs(expression) == expected


def test_too_long() -> None:
    assert evaluate("x = 1 #" + "x" * (1 << 19), "p/BUILD", []) == {}
    with pytest.raises(BuildFileError, match="^p/BUILD: has more than"):
        evaluate("x = 1 #" + "x" * (1 << 20), "p/BUILD", [])
    assert evaluate("x = [" + "1, " * 10_000 + "]", "p/BUILD", []) == {}
    with pytest.raises(BuildFileError, match="^p/BUILD: has more than"):
        evaluate("x = [" + "1, " * 20_000 + "]", "p/BUILD", [])


def test_parser_warnings_are_suppressed() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        evaluate('x = "\\d"', "p/BUILD", [])


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
    rules = evaluate(f'f(name = "x", srcs = glob(["{glob}"]))', "p/BUILD", files)
    assert rules["x"].attrs["srcs"] == sorted(f for f in files if _matches(glob, f))


@pytest.mark.parametrize("glob", ["*a" * 30 + "b", "**/*a/" * 30 + "b", "**/a" * 30 + "*b"])
def test_globs_with_many_wildcards_are_fast(glob: str) -> None:
    file = "/".join(["a" * 200] * 10)
    rules = evaluate(f'f(name = "x", srcs = glob(["{glob}"]))', "p/BUILD", [file])
    assert rules["x"].attrs["srcs"] == []
