"""Tests of tf_op_files.txt."""

from selections import selection

from tfcarve.emit.op_files import op_files


def test_op_files() -> None:
    made = selection([("A", "AOp", "k/b.cc")], [("A", "o/ops.cc")], helpers=["k/a.cc", "k/b.cc"])
    assert op_files(made) == b"k/a.cc\nk/b.cc\no/ops.cc\n"
    assert op_files(selection()) == b""
