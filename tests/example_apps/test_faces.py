"""Builds and runs examples/faces, with the networks of a package and photographs of another one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from example_apps import example
from example_apps.example import Example
from example_apps.photographs import photograph
from public.packages import MTCNN

# Photographs, and the middle of the face in each; None for none.
_FACES = {"astronaut.png": (225, 115), "chelsea.png": None, "rocket.jpg": None}
_PIXELS = 0.2


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Example]:
    files = MTCNN.folder() / "mtcnn"
    with example.opened("faces") as app:
        networks = (files / "network/factory.py", files / "data/mtcnn_weights.npy")
        app.python("make_model.py", *networks, *map(photograph, _FACES))
        yield app


@pytest.fixture(name="model", scope="module")
def _model(app: Example) -> Path:
    return app.built("//:model", "linux_x86_64")


@pytest.fixture(name="loaded", scope="module")
def _loaded(app: Example) -> Any:
    """The model in full TensorFlow."""
    return tf.saved_model.load(str(app.folder / "saved_model"))


@pytest.fixture(name="program", scope="module", params=example.PLATFORMS)
def _program(
    app: Example, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("program")
    return request.param, app.copied("//:find_faces", request.param, folder)


@pytest.mark.parametrize("name", _FACES)
def test_faces(program: tuple[str, Path], model: Path, loaded: Any, name: str) -> None:
    platform, file = program
    done = example.run(file, platform, photograph(name), "--model", model)
    assert (done.returncode, done.stderr) == (0, "")
    found = [[float(word) for word in line.split()[2::2]] for line in done.stdout.splitlines()]
    content = tf.constant(photograph(name).read_bytes())
    expected = loaded.signatures["serving_default"](photograph=content)["boxes"].numpy()
    assert np.shape(found) == ((len(expected), 4) if len(expected) else (0,))
    if (middle := _FACES[name]) is None:
        assert found == []
        return
    np.testing.assert_allclose(found, expected, atol=_PIXELS)
    ((left, upper, right, lower),) = found
    assert left < middle[0] < right
    assert upper < middle[1] < lower


def test_invalid_input(program: tuple[str, Path], model: Path, tmp_path: Path) -> None:
    platform, file = program
    text = tmp_path / "text.png"
    text.write_text("text", encoding="utf-8")
    for message, words in {
        "text.png: Unknown image file format": (text, "--model", model),
        "cannot be read": (tmp_path, "--model", model),
        "usage: find_faces": (text,),
    }.items():
        done = example.run(file, platform, *words)
        assert done.returncode == 2, message
        assert message in done.stderr
        assert done.stdout == ""
