"""Tests of the page: its content, and that a real browser runs its script."""

import re
from dataclasses import replace
from pathlib import Path

import browser
import msgspec
from benchmark_values import CONV, benchmark, measurement

from tfcarve.benchmark import page
from tfcarve.size.report import Entry, Kernel, Report

_SIZES = Report(
    version=1,
    platform="linux_x86_64",
    sizes={"stripped": 1000, "text": 900, "gzip": 400},
    attributed=1000,
    models=("m.pb",),
    kernels=(
        Kernel("conv.cc", "ConvOp<float>", ("Conv2D",), ("m.pb",)),
        Kernel("pad.cc", "PadOp<float>", ("Pad",), ("m.pb",)),
    ),
    definitions=(),
    entries=(
        Entry("kernels", "conv.cc", "ConvOp<float>", "", 300),
        Entry("kernels", "pad.cc", "PadOp<float>", "", 100),
        Entry("core", "session.cc", "", "", 600),
    ),
)


def _widths(html: str, kind: str) -> list[float]:
    return [float(w) for w in re.findall(rf'class="bar {kind}" style="width:([\d.]+)%"', html)]


def test_bars_of_time_and_bytes() -> None:
    html = page.page(benchmark(), _SIZES).decode()
    names = re.findall(r'<td class="k">(\w+)<div>', html)
    assert names == ["Conv2D", "Relu", "Pad"]
    assert _widths(html, "time") == [80, 20, 0]
    assert _widths(html, "bytes") == [75, 0, 25]
    assert "300 bytes" in html and "not executed" in html
    assert "8.000 ms, 80.0%" in html


def test_without_sizes() -> None:
    html = page.page(benchmark(), None).decode()
    assert _widths(html, "time") == [80, 20]
    assert _widths(html, "bytes") == []
    assert "share of the bytes" not in html


def test_under_qemu_shares_are_of_multiply_adds() -> None:
    html = page.page(benchmark(emulated=True), None).decode()
    assert _widths(html, "time") == [100, 0]
    assert "under qemu" in html
    assert "20.000 M multiply-adds" in html
    assert "share of the multiply-adds" in html


def test_shows_the_slowest_nodes() -> None:
    nodes = tuple(msgspec.structs.replace(CONV, name=f"n{i}", ms=i) for i in range(150))
    one = replace(benchmark(multiply_adds=(0,) * 150), measurement=measurement(nodes=nodes))
    html = page.page(one, None).decode()
    shown = re.findall(r">n(\d+) \(Conv2D\)<", html)
    assert [int(number) for number in shown] == list(range(149, 49, -1))
    assert "and 50 more" in html


def test_is_self_contained() -> None:
    text = page.page(benchmark(), _SIZES).decode()
    assert not re.search(r"https?:|src=|href=|@import|url\(", text)
    assert "default-src 'none'" in text


def test_escapes_names() -> None:
    evil = "<script>document.title='evil'</script>"
    node = msgspec.structs.replace(CONV, name=evil, op=evil)
    ops = (msgspec.structs.replace(measurement().ops[0], op=evil),)
    one = replace(
        benchmark(multiply_adds=(0,)), measurement=measurement(model=evil, nodes=(node,), ops=ops)
    )
    text = page.page(replace(one, program=evil, cpu=evil), None).decode()
    assert evil not in text
    assert text.count("&lt;script&gt;") >= 5


def test_browser_runs_the_script(tmp_path: Path) -> None:
    shown = browser.shown(page.page(benchmark(), _SIZES), tmp_path)
    assert re.search(r'<html[^>]* data-ready="2"', shown), "the script ran to the end"
