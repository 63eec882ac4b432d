"""Tests of parsing the predefined macros of a target's compiler."""

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.registry.target import HOST, parse

_DUMP = """\
#define __ARM_NEON 1
#define __cplusplus 201703L
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __STDCPP_THREADS__ 1
#define __INT64_C(c) c ## L
#define __REGISTER_PREFIX__{}
#define unix
""".format(" ")


def test_standard_macros_are_omitted() -> None:
    target = parse("aarch64-linux-gnu", _DUMP, "dump")
    assert target.name == "aarch64-linux-gnu"
    assert target.text([]).splitlines() == [
        "#define __ARM_NEON 1",
        "#define __INT64_C(c) c ## L",
        "#define __REGISTER_PREFIX__ ",
        "#define unix",
    ]


def test_defines_take_precedence() -> None:
    target = parse("t", _DUMP, "dump")
    text = target.text(["unix=3", "__ARM_NEON", "__INT64"])
    assert [line.split()[1] for line in text.splitlines()] == [
        "__INT64_C(c)",
        "__REGISTER_PREFIX__",
    ]


def test_clang_functions() -> None:
    text = parse("t", "#define __clang__ 1\n", "dump").text([])
    assert "#ifndef __has_feature\n#define __has_feature(x) 0\n#endif\n" in text
    assert "__has_feature" not in parse("t", _DUMP, "dump").text([])


def test_host() -> None:
    assert HOST.text([]) == ""


@pytest.mark.parametrize(
    ("name", "dump", "message"),
    [
        ("", _DUMP, "'' is not the name of a target"),
        ("a b", _DUMP, "'a b' is not the name of a target: letters, digits"),
        ("-x", _DUMP, "'-x' is not the name of a target"),
        ("t", "", "dump: no macros: pass the output of"),
        ("t", "#define __STDC__ 1\n", "dump: no macros"),
        (
            "t",
            "#define A 1\n#include <a>\n",
            "dump:2: not a #define: '#include <a>': pass the output",
        ),
        ("t", "#define A 1\n#define 3 4\n", "dump:2: not a #define: '#define 3 4'"),
        ("t", "#define A \\\n", "dump:1: not a #define"),
    ],
)
def test_invalid(name: str, dump: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(name, dump, "dump")
    assert str(caught.value).startswith(message)
