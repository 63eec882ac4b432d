"""Tests of the manifest: its JSON form, and how `tfcarve inspect` shows it."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from small_library import Library, selected

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.models.signature_def import Signature, SignatureTensor
from tfcarve.proof import manifest
from tfcarve.selection.selection import ModelFacts

_SIGNATURE = Signature(
    inputs=(SignatureTensor("x\x1b[2J", ("in:0",), "float32", (-1, 3)),),
    outputs=(SignatureTensor("y", ("out:0", "out:1"), "", None),),
)


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[]", b'{"version": 2}', b"\xff", b'{"version":1,"tfcarve":1}', b"[" * 100_000],
)
def test_invalid_manifests(text: bytes) -> None:
    with pytest.raises(InvalidInput, match="manifest"):
        manifest.parse(text, "lib")


def test_manifest_round_trip() -> None:
    written = manifest.of(selected())
    assert manifest.parse(written.to_json().encode() + b"\0", "lib") == written


def test_signatures_of_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = (
        ModelFacts("plain/a.pb", "00", "graphdef"),
        ModelFacts("one/s", "11", "saved_model", {"serve": _SIGNATURE}),
        ModelFacts("two/s", "11", "saved_model", {"serve": _SIGNATURE}),
        ModelFacts("two/s", "11", "saved_model", {"train": _SIGNATURE}),
    )
    wanted = replace(selected(), models=models)
    written = manifest.of(wanted)
    names = [(model.name, list(model.signatures)) for model in written.models]
    assert names == [("a.pb", []), ("s", ["serve"]), ("s", ["train"])]
    assert manifest.parse(written.to_json().encode() + b"\0", "lib") == written
    library = Library(tmp_path).compile(wanted).shared()
    assert main(["inspect", str(library)]) == 0
    shown = capsys.readouterr().out
    assert "  00  a.pb\n  11  s\n    serve\n" in shown
    assert r"      input  x\x1b[2J = in:0  float32  [?, 3]" in shown
    assert "      output y = out:0, out:1  type unknown  shape unknown\n" in shown
