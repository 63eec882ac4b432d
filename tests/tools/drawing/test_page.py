"""Tests of the page: its content, and what a real browser shows."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import quote

import browser
import pytest
import tensorflow as tf
from benchmark_reports import measured, sizes
from drawn_graphs import EVIL, NO_FIGURES, evil, layers, svg_text

import extent
from tfcarve.drawing import page
from tfcarve.drawing.colours import Measure, heat
from tfcarve.drawing.figures import Figures, figures
from tfcarve.drawing.model_drawing import Drawing, drawing
from tfcarve.drawing.op_classes import op_class

pytestmark = pytest.mark.skipif(
    not shutil.which("dot"), reason="no Graphviz on PATH. Try: sudo apt-get install graphviz"
)


def _page(
    found: Drawing, of_boxes: Figures = NO_FIGURES, measure: Measure = "op", model: str = "m.pb"
) -> bytes:
    return page.page(model, found, of_boxes, svg_text(found, of_boxes), measure)


def _with_reports() -> bytes:
    found = layers(2)
    timed = measured({"net/dense/MatMul": 6.0, "net/relu": 1.5})
    return _page(found, figures(found, sizes({"MatMul": 3000}), timed), "time")


def _text(shown: str, element: str) -> str:
    """The text of an element by its id."""
    (content,) = re.findall(rf'<(\w+) id="{element}"[^>]*>(.*?)</\1>\n', shown, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", content[1]).split())


def test_is_self_contained() -> None:
    text = _page(layers()).decode()
    # Names of XML's namespaces are no addresses that a browser loads.
    without = re.sub(r'xmlns(:xlink)?="[^"]*"', "", text)
    assert not re.search(r"https?:|src=|href=|@import|url\(", without)
    assert "default-src 'none'" in text


@pytest.fixture(name="shown", scope="module")
def _shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a browser shows of two levels."""
    return browser.shown(_page(layers(2)), tmp_path_factory.mktemp("shown"))


def test_browser_shows_the_boxes(shown: str) -> None:
    assert re.search(r'<html[^>]* data-ready="5"', shown), "the script ran to the end"
    assert "7 nodes in 5 boxes, 2 levels of name scopes" in shown
    assert "matrix product <span>(1)</span>" in shown


@pytest.fixture(name="timed", scope="module")
def _timed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a browser shows of the same with reports, and with the details of a node."""
    folder = tmp_path_factory.mktemp("timed")
    return browser.shown(_with_reports(), folder, quote("net/relu", safe=""))


def test_browser_shows_the_details_of_a_node(timed: str) -> None:
    details = _text(timed, "details")
    assert details == (
        "net/relu op Relu output 0 float32[1x8] bytes of the library 0 time 1.5 ms "
        "reads net/dense/ is read by y"
    )
    (picked,) = re.findall(r'<g id="(\w+)" class="node picked"', timed)
    assert picked == "b2"


def test_browser_shows_the_details_of_a_scope(tmp_path: Path) -> None:
    shown = browser.shown(_with_reports(), tmp_path, "net%2Fdense%2F")
    assert _text(shown, "details") == (
        "net/dense/ nodes 3 ops Const 1, Identity 1, MatMul 1 bytes of the library 3,000 time 6 ms "
        "reads x is read by net/relu"
    )
    frame = browser.shown(_with_reports(), tmp_path, "net%2F")
    assert "net/ nodes 4 ops" in _text(frame, "details")
    assert "time 7.5 ms" in _text(frame, "details")


def test_no_details_without_a_box_of_that_name(tmp_path: Path) -> None:
    shown = browser.shown(_page(layers(2)), tmp_path, "nonsense")
    assert _text(shown, "details").startswith("Click a box for its details.")


def _fills(shown: str) -> dict[str, str]:
    """The colours of the boxes in the drawing; the overview has no identifiers."""
    return dict(
        re.findall(
            r'<g id="(b\d+)" class="node[^"]*">\s*<title>[^<]*</title>\s*<path fill="([^"]+)"',
            shown,
        )
    )


def test_colours(shown: str, timed: str) -> None:
    by_op = _fills(shown)
    assert by_op["b1"] == op_class("MatMul").colour
    by_time = _fills(timed)
    assert by_time.keys() == by_op.keys()
    assert (by_time["b1"], by_time["b2"], by_time["b0"]) == (heat(1), heat(0.5), heat(0))


def test_measures_that_can_be_chosen() -> None:
    text = _page(layers()).decode()
    assert re.findall(r'<option value="(\w+)"', text) == ["op", "weights"]
    both = _with_reports().decode()
    assert re.findall(r'<option value="(\w+)"', both) == ["op", "weights", "library", "time"]
    assert '<option value="time" selected>' in both
    assert "0 to 6 ms, on a square-root scale" in both


_MODELS = {"plain": "m.pb", "evil": EVIL[3]}
_PAGES = [(depth, model) for depth in (1, 2) for model in _MODELS]


@pytest.mark.parametrize(("depth", "model"), extent.some(_PAGES, (1, "plain"), (2, "evil")))
def test_evil_names_stay_text(depth: int, model: str, tmp_path: Path) -> None:
    found = drawing(evil(), depth=depth)
    page_of_model = _page(found, model=_MODELS[model])
    shown = browser.shown(page_of_model, tmp_path, quote(EVIL[2], safe=""))
    assert re.search(rf'<html[^>]* data-ready="{len(found.boxes)}"', shown)
    assert "<title>Graph of " in shown
    assert not re.search(r"<img|<b>|<i>&|<script>document\.", shown)


def test_browser_paints_the_boxes(tmp_path: Path) -> None:
    """A screenshot has the colours of the classes, and no others that a box could have."""
    shot = browser.screenshot(_page(layers(1)), tmp_path, "1280,900")
    pixels = tf.io.decode_png(shot, channels=3).numpy()
    stage = pixels[120:, :900].reshape(-1, 3)

    def count(op: str) -> int:
        colour = op_class(op).colour
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        return int((stage == wanted).all(axis=1).sum())

    assert count("MatMul") > 500 and count("Add") > 500
    assert count("Conv2D") == count("LSTM") == 0
