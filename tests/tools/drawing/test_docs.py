"""docs/look.md: its commands run on the model of docs/prepare.md and print the output shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from benchmark_reports import document, sizes

import examples
from tfcarve import json_codec
from tfcarve.drawing import model_drawing


def _page(key: str, name: str) -> str:
    return examples.runfile(key, f"docs/{name}").read_text(encoding="utf-8")


@pytest.fixture(name="digits", scope="module")
def _digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the SavedModel of docs/prepare.md, its frozen graph, and reports on a library for it."""
    folder = tmp_path_factory.mktemp("digits")
    freeze = examples.section(_page("PREPARE_MD", "prepare.md"), "Freeze")
    (code,) = (text for kind, text in examples.blocks(freeze) if kind == "python")
    defined: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(code, "prepare.md", "exec"), defined)
        # As tfcarve exports digits.keras, but without another process that imports Keras.
        tf.saved_model.save(defined["model"], "exported")
        assert examples.run("tfcarve freeze exported -o digits.pb") == 0
    outputs = folder / "bazel-bin" / "tensorflow"
    outputs.mkdir(parents=True)
    (outputs / "sizes.json").write_bytes(sizes({"Conv2D": 3000}).to_json())
    timed = document({"sequential/conv2d/Conv2D": 2.0}, {"sequential/conv2d/Conv2D": "Conv2D"})
    (folder / "time.json").write_bytes(json_codec.encode(timed))
    return folder


def test_commands(
    digits: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(digits)
    listed = examples.blocks(_page("LOOK_MD", "look.md"))
    commands = 0
    for index, (kind, text) in enumerate(listed):
        if kind != "sh":
            continue
        for command in text.splitlines():
            capsys.readouterr()
            assert examples.run(command) == 0, command
            commands += 1
        if index + 1 < len(listed) and listed[index + 1][0] == "text":
            examples.require_shown(listed[index + 1][1], capsys.readouterr().out)
    assert commands == 8
    assert "library 3 kB" in Path("digits.html").read_text()


def test_a_different_output_is_found() -> None:
    examples.require_shown("a\n…\nc\n", "a\nb\nc\n")
    for shown in ("a\n…\nd\n", "b\n…\nc\n", "a\nc\n", "a\n…\nx\n…\nc\n"):
        with pytest.raises(AssertionError):
            examples.require_shown(shown, "a\nb\nc\n")


def test_limits() -> None:
    text = " ".join(_page("LOOK_MD", "look.md").split())
    assert (
        f"at most {model_drawing.MAX_BOXES:,} boxes and {model_drawing.MAX_EDGES:,} edges" in text
    )
    assert f"give at most {model_drawing.READABLE} boxes" in text
