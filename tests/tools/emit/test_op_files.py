"""Tests of tf_op_files.txt."""

from pathlib import Path

import msgspec
import pytest
from selections import selection

from tfcarve.cli import main
from tfcarve.emit.op_files import extended, op_files
from tfcarve.errors import InvalidInput
from tfcarve.releases import known

_RELEASE = known.release()
_MADE = selection([("A", "AOp", "k/b.cc")], [("A", "o/ops.cc")], helpers=["k/a.cc", "k/b.cc"])


def test_op_files() -> None:
    assert op_files(_MADE, _RELEASE) == b"k/a.cc\nk/b.cc\no/ops.cc\n"
    assert op_files(selection(), _RELEASE) == b""


def test_sources_of_tensorflows_core_are_not_listed() -> None:
    core = "tensorflow/core/common_runtime/lower_functional_ops.cc"
    helper = "tensorflow/core/common_runtime/eager/context.cc"
    selected = selection([("A", "AOp", "k/b.cc"), ("B", "BOp", core)], helpers=[helper])
    assert op_files(selected, _RELEASE) == f"k/b.cc\n{helper}\n".encode()


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
    assert extended(before, _MADE, _RELEASE) == after
    assert extended(after, _MADE, _RELEASE) is after


@pytest.mark.parametrize("text", ["", "o/ops.cc\n\n  k/b.cc k/a.cc"])
def test_nothing_is_missing(text: str) -> None:
    assert extended(text, _MADE if text else selection(), _RELEASE) is text


@pytest.mark.parametrize("path", ["k/a.cc\nk/b.cc", "../b.cc", "$(b).cc", "a b.cc", ""])
def test_invalid_paths(path: str) -> None:
    selected = selection([("A", "AOp", "k/b.cc"), ("B", "BOp", path)])
    with pytest.raises(InvalidInput, match="is not a valid source path"):
        op_files(selected, _RELEASE)
    with pytest.raises(InvalidInput, match="is not a valid source path"):
        extended("k/b.cc\n", selected, _RELEASE)


@pytest.mark.parametrize("form", [["--extend", "list.txt"], ["--build-fragment"]])
def test_tensorflows_build_has_no_kernels_of_tfcarve(
    form: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (source,) = _RELEASE.added_kernels
    selected = selection([("QuantizedDepthwiseConv2D", "Op", source)])
    facts = msgspec.structs.replace(selected.tensorflow, version=known.release().version)
    made = msgspec.structs.replace(selected, tensorflow=facts)
    Path("s.json").write_bytes(made.to_json())
    Path("list.txt").write_text("k/a.cc\n")
    assert main(["op-files", "s.json", *form]) == 2
    assert f"kernels that only tfcarve has ({source})" in capsys.readouterr().err
    assert Path("list.txt").read_text() == "k/a.cc\n"
    assert main(["op-files", "s.json"]) == 0
