"""The page for Inception v3, in a real browser: one box for each layer, with readable labels."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import browser
import pytest
import tensorflow as tf
from keras.src.applications import inception_v3

from models import frozen
from tfcarve import cli

pytestmark = pytest.mark.skipif(
    not shutil.which("dot"), reason="no Graphviz on PATH. Try: sudo apt-get install graphviz"
)
# More boxes in a row would not be readable beside each other.
_WIDE, _SCREEN = 1_000, "1400,900"


@pytest.fixture(name="network", scope="module")
def _network() -> tf.keras.Model:
    """Inception v3 with a sixteenth of its channels: its drawing is the same."""
    of_keras = inception_v3.conv2d_bn

    def thin(x: Any, filters: int, *rest: Any, **options: Any) -> Any:
        return of_keras(x, filters // 16, *rest, **options)

    # Keras numbers the layers of a session.
    tf.keras.backend.clear_session()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inception_v3, "conv2d_bn", thin)
        return tf.keras.applications.InceptionV3(weights=None, classes=10)


@pytest.fixture(name="model", scope="module")
def _model(network: tf.keras.Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The frozen graph."""
    file = tmp_path_factory.mktemp("inception") / "inception_v3.pb"
    file.write_bytes(frozen.freeze(network).SerializeToString(deterministic=True))
    return file


@pytest.fixture(name="page", scope="module")
def _page(model: Path) -> bytes:
    file = model.with_suffix(".html")
    assert cli.main(["graph", str(model), "-o", str(file)]) == 0
    return file.read_bytes()


def test_one_box_for_each_layer(network: tf.keras.Model, page: bytes, tmp_path: Path) -> None:
    shown = browser.shown(page, tmp_path, "inception_v3%2Fmixed0%2F", _SCREEN)
    assert re.search(rf'<html[^>]* data-ready="{len(network.layers) + 1}"', shown)
    for kind, count in (
        ("convolution", 94),
        ("normalization", 94),
        ("activation", 94),
        ("pooling", 13),
    ):
        assert f"{kind} <span>({count})</span>" in shown
    details = shown[shown.index('id="details"') :]
    for reader in ("conv2d_12", "conv2d_13", "conv2d_15", "average_pooling2d_1"):
        assert f"<button>inception_v3/{reader}/</button>" in details


def test_labels_are_readable(page: bytes, tmp_path: Path) -> None:
    """The view that opens is the top of the graph, at a scale at which text has more than 11 pixels."""
    shown = browser.shown(page, tmp_path, "", _SCREEN)
    (view,) = re.findall(r'<svg viewBox="([^"]+)"', shown)[:1]
    _, y, width, height = map(float, view.split())
    (whole,) = re.findall(rb'<svg [^>]*viewBox="([^"]+)"', page)
    _, top, wide, high = map(float, whole.split())
    assert wide < _WIDE, "branches are beside each other, layers below each other"
    assert y == top and height < high
    stage = 1400 - 320
    assert 10 * stage / width > 11
    shot = browser.screenshot(page, tmp_path, _SCREEN)
    pixels = tf.io.decode_png(shot, channels=3).numpy()[120:, 100:1080]
    dark = (pixels.sum(axis=2) < 200).mean()
    assert 0.005 < dark < 0.2, "black text and borders"


def test_deeper_and_one_block(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    drawn = model.with_suffix(".dot")
    assert cli.main(["graph", str(model), "-o", str(drawn), "--depth", "1"]) == 0
    assert "1,182 nodes in 3 boxes, depth 1" in capsys.readouterr().out
    assert cli.main(["graph", str(model), "-o", str(drawn), "--depth", "3"]) == 0
    assert "in 804 boxes, depth 3" in capsys.readouterr().out, "more than is readable"
    words = ["graph", str(model), "-o", str(drawn), "--scope", "inception_v3/batch_normalization_7"]
    assert cli.main(words) == 0
    text = drawn.read_text()
    assert "FusedBatchNormV3" in text and "conv2d_7" in text and "conv2d_8" not in text
