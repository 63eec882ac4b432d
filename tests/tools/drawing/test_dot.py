"""Tests of drawings in Graphviz's language."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from drawn_graphs import EVIL, dot_text, evil, layers
from node_lines import nodes

from tfcarve.drawing import dot
from tfcarve.drawing.model_drawing import drawing

_BODY = r"""
  b0 [fillcolor="#ffffff", id="b0", label="x\nPlaceholder"]
  b3 [fillcolor="#e8dde4", id="b3", label="check\nAssert"]
  b4 [fillcolor="#f4c2d0", id="b4", label="y\nAdd"]
  subgraph cluster_f0 {
    bgcolor="#f6f8fb"; color="#b9c2ce"; id="f0"; label="net · 4 nodes"; labeljust="l"; style="rounded"
    b1 [fillcolor="#7cc4b5", id="b1", label="dense\nMatMul · 3 nodes"]
    b2 [fillcolor="#f7c08a", id="b2", label="relu\nRelu"]
  }
  b3 -> b4 [style="dashed", arrowhead="open"]
  b1 -> b2
  b2 -> b4 [label="2"]
  b0 -> b3
  b0 -> b1
}
"""


def test_dot() -> None:
    text = dot_text(layers(2))
    assert text.startswith("digraph model {\n  graph [")
    assert text.endswith(_BODY)


def test_ids() -> None:
    assert dot.box_ids(layers(2)) == {
        "x": "b0",
        "net/dense/": "b1",
        "net/relu": "b2",
        "check": "b3",
        "y": "b4",
        "net/": "f0",
    }


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("a", '"a"'), ('a"b', r'"a\"b"'), ("a\\nb", r'"a\\nb"'), ("a\\", r'"a\\"'), ("&lt;", '"&amp;lt;"')],
)  # fmt: skip
def test_quoted(text: str, quoted: str) -> None:
    assert dot.quoted(text) == quoted


def _plain(text: str) -> list[str]:
    """What Graphviz reads, as it writes it: one line for each box and edge."""
    program = shutil.which("dot")
    if program is None:
        pytest.skip("no Graphviz on PATH. Try: sudo apt-get install graphviz")
    done = subprocess.run(
        [program, "-Tplain"], input=text.encode(), capture_output=True, check=True
    )
    assert not done.stderr, "Graphviz warns"
    return done.stdout.decode().splitlines()


@pytest.mark.parametrize("depth", [1, 2])
def test_evil_names_add_no_boxes_and_no_edges(depth: int) -> None:
    found = drawing(evil(), depth=depth)
    lines = _plain(dot_text(found))
    kinds = [line.partition(" ")[0] for line in lines if line[:5] in ("node ", "edge ")]
    assert (kinds.count("node"), kinds.count("edge")) == (len(found.boxes), len(found.edges))
    assert len(found.boxes) >= len(EVIL)


def test_a_cycle_is_drawn() -> None:
    lines = _plain(dot_text(drawing(nodes("a A c\nb A a\nc A b\n"))))
    assert sum(line.startswith("edge ") for line in lines) == 3
