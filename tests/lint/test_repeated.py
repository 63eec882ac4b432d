"""No code of tools/ and rules/ is in two places."""

from __future__ import annotations

import pytest

from docs.tree import ROOT, tracked
from lint.repeated import is_source, repeated

# Shorter runs are often lists of arguments, which two callers of a function share.
_MOST = 12


def _code(first: int, last: int) -> str:
    return "".join(f"x{i} = {i}\n" for i in range(first, last + 1))


def test_no_lines_are_repeated() -> None:
    sources = {
        name: (ROOT / name).read_text(encoding="utf-8")
        for name in tracked()
        if name.startswith(("rules/", "tools/")) and is_source(name)
    }
    assert len(sources) > 500
    found = repeated(sources, _MOST)
    assert not found, "\n".join(["move what is shared to one place:", *found])


def test_repeated_lines_are_found() -> None:
    sources = {"a.py": "y = 1\n" + _code(1, 13), "b.bzl": _code(1, 13) + "z = 1\n"}
    assert repeated(sources, 12) == ["a.py:2 and b.bzl:1 share more than 12 lines"]
    assert not repeated(sources, 13)


def test_lines_repeated_in_one_file_are_found() -> None:
    sources = {"a.py": _code(1, 13) + "y = 1\n" + _code(1, 13)}
    assert repeated(sources, 12) == ["a.py:1 and a.py:15 share more than 12 lines"]


@pytest.mark.parametrize(
    ("name", "between"),
    [
        ("b.py", "\n\n"),
        ("b.py", "    # A comment.\n"),
        ("b.py", "from a.b import c\nimport d\n"),
        ("b.py", "from a.b import (\n    c,\n    d,\n)\n"),
        ("BUILD", 'load(\n    "a.bzl",\n    "a",\n)\n'),
        ("b.cc", "// A comment.\n#include <a.h>\n"),
        ("b.h", "/* A comment\n   of two lines. */\n"),
        ("b.java", "import a.b;\n"),
    ],
)
def test_what_does_not_count(name: str, between: str) -> None:
    code = _code(1, 6) + between + _code(7, 13).replace(" = ", "  =  ")
    sources = {"a.py": _code(1, 13), name: code}
    assert repeated(sources, 12) == [f"a.py:1 and {name}:1 share more than 12 lines"]
    assert not repeated({"a.py": _code(1, 13), name: between * 20}, 12)


@pytest.mark.parametrize("line", ["from_a = 1\n", "important()\n", "x = 1 // 2\n"])
def test_what_counts(line: str) -> None:
    assert not repeated({"a.py": _code(1, 13), "b.py": _code(1, 6) + line + _code(7, 13)}, 12)
