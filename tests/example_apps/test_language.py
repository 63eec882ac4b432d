"""Builds and runs examples/language, with the model of a package."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from example_apps import example
from example_apps.example import Example
from public.packages import GUESSLANG

# Sources of this repository, and their languages.
_SOURCES = {
    "examples/language/guess_language.cc": "cpp",
    "tools/java/org/tfcarve/TfSession.java": "java",
    "tools/swift/Sources/TensorFlowCarved/Tensor.swift": "swift",
    "tools/tfcarve/cli.py": "py",
}
_SHOWN = 3
_TOLERANCE = 1e-4


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Example]:
    with example.opened("language") as app:
        target = app.folder / "saved_model"
        shutil.copytree(GUESSLANG.folder() / "guesslang/data/model", target, dirs_exist_ok=True)
        yield app


@pytest.fixture(name="model", scope="module")
def _model(app: Example) -> Path:
    return app.built("//:model", "linux_x86_64")


@pytest.fixture(name="loaded", scope="module")
def _loaded(app: Example) -> Any:
    """The model in full TensorFlow."""
    return tf.saved_model.load(str(app.folder / "saved_model"))


def _best(loaded: Any, text: bytes) -> tuple[str, float]:
    """The most probable language of a text and its score."""
    found = loaded.signatures["serving_default"](tf.constant([text]))
    scores, names = (found[name].numpy()[0] for name in ("scores", "classes"))
    at = np.argmax(scores)
    return names[at].decode(), float(scores[at])


@pytest.fixture(name="program", scope="module", params=example.PLATFORMS)
def _program(
    app: Example, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("program")
    return request.param, app.copied("//:guess_language", request.param, folder)


@pytest.mark.parametrize("source", _SOURCES)
def test_languages(program: tuple[str, Path], model: Path, loaded: Any, source: str) -> None:
    platform, file = program
    path = example.SOURCES / source
    done = example.run(file, platform, path, "--model", model)
    assert (done.returncode, done.stderr) == (0, "")
    rows = (line.split("  ") for line in done.stdout.splitlines())
    found = {name: float(score) for score, name in rows}
    assert next(iter(found)) == _SOURCES[source]
    language, score = _best(loaded, path.read_bytes())
    assert found[language] == pytest.approx(score, abs=_TOLERANCE)
    assert len(found) == _SHOWN


def test_invalid_input(program: tuple[str, Path], model: Path, tmp_path: Path) -> None:
    platform, file = program
    empty = tmp_path / "empty.txt"
    empty.touch()
    assert example.run(file, platform, empty, "--model", model).returncode == 0
    for message, words in {
        "cannot be read": (tmp_path, "--model", model),
        "can't be read": (empty, "--model", tmp_path / "gone.pb"),
        "usage: guess_language": (empty,),
    }.items():
        done = example.run(file, platform, *words)
        assert done.returncode == 2, message
        assert message in done.stderr
        assert done.stdout == ""
