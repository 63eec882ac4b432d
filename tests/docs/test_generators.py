"""The generators of the reference pages, on small inputs."""

from __future__ import annotations

import argparse
import json

import pytest

from docs import c_api_page, cli_page, json_page, module_info, overrides_page, rules_page
from docs.json_documents import Document
from docs.markdown import NOTE, cell, code, prose
from docs.module_info import Module, Parameter, Symbol
from tfcarve.json_codec import JsonDocument
from tfcarve.models.wire import WireError


def _field(number: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return bytes([number << 3 | 2, len(data)]) + data


def test_module_info() -> None:
    parameter = _field(1, "name") + _field(2, "of the target.") + _field(3, '""') + b"\x20\x01"
    function = _field(1, "tf_x") + _field(2, parameter) + _field(3, "Makes x.")
    provider = (
        _field(1, "XInfo") + _field(2, "About x.") + _field(3, _field(1, "f") + _field(2, "File."))
    )
    tag = (
        _field(1, "version")
        + _field(2, "Chooses.")
        + _field(3, _field(1, "name") + _field(6, '"a"'))
    )
    extension = _field(1, "ext") + _field(3, tag)
    data = _field(2, provider) + _field(3, function) + _field(5, "All.") + _field(7, extension)
    assert module_info.parse(data) == Module(
        doc="All.",
        functions=(Symbol("tf_x", "Makes x.", (Parameter("name", "of the target.", '""', True),)),),
        providers=(Symbol("XInfo", "About x.", (Parameter("f", "File."),)),),
        extensions=(
            Symbol(
                "ext", "", tags=(Symbol("version", "Chooses.", (Parameter("name", "", '"a"'),)),)
            ),
        ),
    )


def test_module_info_of_damaged_bytes() -> None:
    with pytest.raises(WireError):
        module_info.parse(b"\x1a\x7f")


def test_rules_page() -> None:
    parameters = (
        Parameter("name", "of the target.", mandatory=True),
        Parameter("mode", "a | b.", '"a"'),
        Parameter("kwargs", "attributes that every rule has."),
    )
    rules = Module("All.", (Symbol("tf_x", "Makes <name>.a.", parameters),), (), ())
    extensions = Module(
        "", (), (), (Symbol("ext", "Doc.", tags=(Symbol("t", "Tag.", parameters),)),)
    )
    text = rules_page.markdown(rules, extensions)
    assert text.startswith(NOTE)
    assert "### tf_x\n\n```text\ntf_x(name, mode, **kwargs)\n```\n\nMakes &lt;name>.a.\n" in text
    assert "| `name` | required | of the target. |\n" in text
    assert '| `mode` | `"a"` | a \\| b. |\n' in text
    assert "#### ext.t\n\nTag.\n" in text


def test_cli_page() -> None:
    parser = argparse.ArgumentParser(prog="tool", description="Does things.")
    sub = parser.add_subparsers().add_parser("one", description="does one thing")
    sub.add_argument("models", nargs="+", metavar="MODEL", help="a model")
    sub.add_argument("--by", choices=("op", "file"), default="op", help="default: %(default)s")
    sub.add_argument("--json", action="store_true", help="prints <JSON>")
    text = cli_page.markdown(parser, {"Things": ("one",)})
    assert "# Command line\n\nDoes things.\n" in text
    assert "| Things | [one](#one) |\n" in text
    assert "## one\n\nDoes one thing.\n\n```text\ntool one [-h]" in text
    assert "| `MODEL` | a model |\n" in text
    assert "| `--by {op,file}` | default: op |\n" in text
    assert "| `--json` | prints &lt;JSON> |\n" in text


_HEADER = """\
// An interface.
//
//   int x = f(1,
//             2);
//
// No state.

#ifndef H
// A number.
typedef enum kind {
  A = 1  // the first
} kind;

// Adds.
TFCARVE_EXPORT int f(int a,
                     int b);
"""


def test_c_api_page() -> None:
    text = c_api_page.markdown(_HEADER)
    assert "An interface.\n\n```c\nint x = f(1,\n          2);\n```\n\nNo state.\n" in text
    assert (
        "## kind\n\n```c\ntypedef enum kind {\n  A = 1  // the first\n} kind;\n```\n\nA number.\n"
        in text
    )
    assert "## f\n\n```c\nint f(int a,\n      int b);\n```\n\nAdds.\n" in text


def test_c_api_page_of_a_function_without_a_comment() -> None:
    with pytest.raises(ValueError, match="no comment above g"):
        c_api_page.markdown(_HEADER + "\nTFCARVE_EXPORT int g(int a);\n")


def test_c_api_page_of_a_comment_without_a_declaration() -> None:
    with pytest.raises(ValueError, match="no type or function in 'int'"):
        c_api_page.markdown(_HEADER + "\n// Odd.\nint\n")


class _Point(JsonDocument, frozen=True):
    """A point."""

    x: int
    label: str = ""


def test_json_page() -> None:
    document = Document("point.json", _Point, "`draw`", "`show`")
    schema = json.loads(json_page.schema(document))
    point = schema["$defs"]["_Point"]
    assert schema["title"] == "point.json"
    assert point["required"] == ["x"] and point["additionalProperties"] is False
    text = json_page.markdown([document])
    assert "| `point.json` | `draw` | `show` | [schema](schemas/point.json.schema.json) |\n" in text


def test_overrides_page() -> None:
    release = """
is_proved = true
[[overrides.core]]
path = "a/b.cc"
why = "less | code"
test = "tests/e2e/test_a.py"
[[overrides.kernels]]
path = "k.cc"
why = "fast"
test = "tests/e2e/test_k.py"
[[overrides.headers]]
path = "h.h"
why = "small"
test = "tests/e2e/test_h.py"
[[overrides.added]]
path = "new.cc"
why = "none"
test = "tests/e2e/test_n.py"
"""
    benchmark = """
| File | Library | Bytes saved | Override, s | TensorFlow's file, s |
| --- | --- | --- | --- | --- |
| `a/b.cc` | lstm | does not link: undefined symbol `x` | 1.1 | - |
| `k.cc` | lstm | +1,234 | 1.2 | 3.4 |
"""
    other = release.replace("true", "false").replace("a/b.cc", "c.cc")
    text = overrides_page.markdown({"9.8": release, "9.9": other}, benchmark)
    assert "9.9" not in text
    assert "## Kernels, TensorFlow 9.8\n" in text
    added = (
        "## Added kernels, TensorFlow 9.8\n\nUnder `third_party/tensorflow/overrides/kernels/`:\n"
    )
    assert added in text
    assert (
        "| `a/b.cc` | less \\| code | - | 1.1 (-) | [test_a.py](../tests/e2e/test_a.py) |\n" in text
    )
    assert "| `k.cc` | fast | +1,234 | 1.2 (3.4) | [test_k.py](../tests/e2e/test_k.py) |\n" in text
    assert "| `h.h` | small | [test_h.py](../tests/e2e/test_h.py) |\n" in text
    assert "| `new.cc` | none | [test_n.py](../tests/e2e/test_n.py) |\n" in text
    for other in (benchmark.replace("k.cc", "old.cc"), benchmark.rpartition("| `k.cc`")[0]):
        with pytest.raises(ValueError, match="k.cc.*benchmarks.sources.overrides"):
            overrides_page.markdown({"9.8": release}, other)


def test_markdown() -> None:
    assert cell("a\n  b|c <d> `<e>`") == "a b\\|c &lt;d> `<e>`"
    assert code("a|b") == "`a\\|b`" and code("") == ""
    assert prose("A.\n\n    B.\n        C.\n") == "A.\n\nB.\n    C.\n"
