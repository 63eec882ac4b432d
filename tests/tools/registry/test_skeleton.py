"""Tests of skeletons."""

import pytest

from tfcarve.registry import skeleton

_TREE = {"a/b.h": "a/b.h", "b.h": "a/b.h"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("int a;\n", ""),
        ("#define A 1\n", "#define A 1\n"),
        ("  # define A \\\n  1\nint x;\n#endif", "  # define A \\\n  1\n#endif"),
        ('#include "a/b.h"\n', '#include "a/b.h"\n'),
        ('#include "b.h"\n', '#include "a/b.h"\n'),
        ("#include <a/b.h>\n", '#include "a/b.h"\n'),
        ("#include <vector>\n#include MACRO\n", ""),
        ("#error no\n#warning no\n#line 3\n#pragma GCC x\n#pragma once\n", "#pragma once\n"),
        (
            "#define REGISTER_OP(name) x\n#undef REGISTER_OP\n#define REGISTER_OPS y\n",
            "#define REGISTER_OPS y\n",
        ),
        ("/*\n#define A\n*/\n#define B /* c */ 1 // d\n", "#define B   1 // d\n"),
        ('#define URL "http://x" /* a */\n', '#define URL "http://x"  \n'),
        ("#define A\r\n", "#define A\n"),
    ],
)
def test_header(text: str, expected: str) -> None:
    assert skeleton.make(text, False, _TREE.get).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int a;\n", "int a;\n"),
        ("#include <vector>\nint a;\n", "\nint a;\n"),
        ("#define REGISTER_OP(n) \\\n  x\nint a;\n", "\n\nint a;\n"),
        ('#include "b.h"\nint a;', '#include "a/b.h"\nint a;'),
    ],
)
def test_source_lines_are_preserved(text: str, expected: str) -> None:
    assert skeleton.make(text, True, _TREE.get).text == expected


def test_includes() -> None:
    text = '#include "b.h"\n#include "c.h"\n#include "a/b.h"\n'
    assert skeleton.make(text, False, _TREE.get).includes == ("a/b.h",)


@pytest.mark.parametrize(
    ("path", "header"), [("a.h", True), ("a.hpp", True), ("a.cc", False), ("a.inc", False)]
)
def test_is_header(path: str, header: bool) -> None:
    assert skeleton.is_header(path) is header
