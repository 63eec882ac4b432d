"""Tests of tf_op_files.txt."""

import pytest
from selections import selection

from tfcarve.emit.op_files import extended, op_files
from tfcarve.errors import InvalidInput

_MADE = selection([("A", "AOp", "k/b.cc")], [("A", "o/ops.cc")], helpers=["k/a.cc", "k/b.cc"])


def test_op_files() -> None:
    assert op_files(_MADE) == b"k/a.cc\nk/b.cc\no/ops.cc\n"
    assert op_files(selection()) == b""


def test_sources_of_tensorflows_core_are_not_listed() -> None:
    core = "tensorflow/core/common_runtime/lower_functional_ops.cc"
    helper = "tensorflow/core/common_runtime/eager/context.cc"
    selected = selection([("A", "AOp", "k/b.cc"), ("B", "BOp", core)], helpers=[helper])
    assert op_files(selected) == f"k/b.cc\n{helper}\n".encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "k/a.cc\nk/b.cc\no/ops.cc\n"),
        ("z.cc\no/ops.cc\na.cc\n", "z.cc\no/ops.cc\na.cc\nk/a.cc\nk/b.cc\n"),
        ("o/ops.cc\nk/a.cc", "o/ops.cc\nk/a.cc\nk/b.cc\n"),
        ("z.cc\r\nk/a.cc\r\n", "z.cc\r\nk/a.cc\r\nk/b.cc\r\no/ops.cc\r\n"),
        ("k/a.cc.old\n", "k/a.cc.old\nk/a.cc\nk/b.cc\no/ops.cc\n"),
    ],
    ids=[
        "empty",
        "order is preserved",
        "no newline at the end",
        "CRLF",
        "a path that is a prefix of another",
    ],
)
def test_extended(before: str, after: str) -> None:
    assert extended(before, _MADE) == after
    assert extended(after, _MADE) is after


@pytest.mark.parametrize("text", ["", "o/ops.cc\n\n  k/b.cc k/a.cc"])
def test_nothing_is_missing(text: str) -> None:
    assert extended(text, _MADE if text else selection()) is text


@pytest.mark.parametrize("path", ["k/a.cc\nk/b.cc", "../b.cc", "$(b).cc", "a b.cc", ""])
def test_invalid_paths(path: str) -> None:
    selected = selection([("A", "AOp", "k/b.cc"), ("B", "BOp", path)])
    with pytest.raises(InvalidInput, match="is not a valid source path"):
        op_files(selected)
    with pytest.raises(InvalidInput, match="is not a valid source path"):
        extended("k/b.cc\n", selected)
