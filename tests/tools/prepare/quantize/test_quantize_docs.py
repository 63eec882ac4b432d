"""docs/how-to/quantize.md: its commands run, and their models compute what the source does."""

from __future__ import annotations

from pathlib import Path

import pytest

import examples
from tfcarve.prepare.graph import graph_file

pytestmark = pytest.mark.usefixtures("reused")

_APP = "tests/e2e/bzlmod/prepared"
_MADE = {
    "corrected8.pb": "Conv2D",
    "frozen.pb": "Requantize",
    "int8.pb": "QuantizedConv2D",
    "measuring.pb": "RequantizationRange",
    "own.pb": "QuantizedConv2D",
    "weights16.pb": "Conv2D",
    "weights8.pb": "Conv2D",
}


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, key in (("source.pbtxt", "SOURCE"), ("samples.npz", "SAMPLES")):
        Path(name).write_bytes(examples.runfile(key, f"{_APP}/{name}").read_bytes())
    page = examples.runfile("QUANTIZE_MD", "docs/how-to/quantize.md").read_text(encoding="utf-8")
    commands = [
        line for kind, text in examples.blocks(page) if kind == "sh" for line in text.splitlines()
    ]
    assert len(commands) == 12
    for command in commands:
        assert examples.run(command) == 0, command
    for name, op in _MADE.items():
        ops = {node.op for node in graph_file.read_graph(Path(name)).nodes}
        assert op in ops, name
        assert ("RequantizationRange" in ops) == (name == "measuring.pb"), name
        assert examples.run(f"tfcarve compare source.pbtxt {name} --tolerance 0.02") == 0
