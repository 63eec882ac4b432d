"""Tests of the HTML report: its content, and what a browser shows."""

import re
from pathlib import Path

import browser
import pytest
import tensorflow as tf
from msgspec.structs import replace
from size_reports import report

from tfcarve.size import page
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.report import Kernel
from tfcarve.size.treemap import HEIGHT, WIDTH, boxes

# The colours of core and of kernels.
_GREEN, _BLUE = (0x00, 0x9E, 0x73), (0x00, 0x72, 0xB2)
_MARGINAL = MarginalSize(
    "model:b.pb", {"stripped": 640, "text": 600, "gzip": 200}, ("k.cc",), (), (), True
)


def _page() -> bytes:
    return page.page(report(double=640, softmax=900), report(), [_MARGINAL])


def test_boxes_have_the_area_of_their_bytes() -> None:
    found = boxes(report(double=640))
    parts = [b for b in found if not b.name]
    whole = report(double=640).sizes["stripped"]
    assert sum(b.width * b.height for b in parts) == pytest.approx(WIDTH * HEIGHT)
    for box in parts:
        assert box.width * box.height / (WIDTH * HEIGHT) == pytest.approx(box.bytes / whole)
    for box in found:
        assert box.x >= 0 and box.y >= 0
        assert box.x + box.width <= WIDTH + 0.01 and box.y + box.height <= HEIGHT + 0.01


def test_page_is_self_contained() -> None:
    text = _page().decode()
    assert not re.search(r"https?:|src=|href=|@import|url\(", text)
    assert "default-src 'none'" in text


def test_names_stay_text() -> None:
    original = report(double=640)
    evil = "<script>document.title='evil'</script>"
    kernels = tuple(Kernel(k.file, k.clazz, k.ops, (evil,)) for k in original.kernels)
    text = page.page(replace(original, kernels=kernels, models=(evil,)), None, []).decode()
    assert evil not in text
    assert "&lt;script&gt;" in text


def test_browser_runs_it(tmp_path: Path) -> None:
    shown = browser.shown(_page(), tmp_path)
    rows = re.search(r'<html[^>]* data-ready="(\d+)"', shown)
    assert rows is not None, "its script failed"
    assert int(rows[1]) > 10
    assert "ReluOp&lt;CPUDevice, double&gt;" in shown


def test_browser_shows_it(tmp_path: Path) -> None:
    """In a screenshot, the areas of two parts' colours are about proportional to their bytes."""
    shot = browser.screenshot(_page(), tmp_path, "1280,1000")
    pixels = tf.io.decode_png(shot, channels=3).numpy().reshape(-1, 3)
    assert len(pixels) == 1280 * 1000
    core, kernels = (int((pixels == colour).all(axis=1).sum()) for colour in (_GREEN, _BLUE))
    sizes = report(double=640, softmax=900).by(lambda e: e.part)
    assert core / kernels == pytest.approx(sizes["core"] / sizes["kernels"], rel=0.1)
