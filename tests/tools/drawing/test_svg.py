"""Tests of drawings as SVG."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from drawn_graphs import NO_FIGURES, dot_text, evil, layers, svg_text

from tfcarve.drawing import svg, texts
from tfcarve.drawing.dot import box_ids
from tfcarve.drawing.model_drawing import drawing
from tfcarve.errors import InvalidInput

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_needs_graphviz = pytest.mark.skipif(
    not shutil.which("dot"), reason="no Graphviz on PATH. Try: sudo apt-get install graphviz"
)


def _groups(text: str) -> dict[str, ElementTree.Element]:
    """The groups of boxes and frames, by their identifiers."""
    found = ElementTree.fromstring(text).iter(f"{_NAMESPACE}g")
    return {
        group.attrib["id"]: group for group in found if group.get("class") in ("node", "cluster")
    }


def _texts(group: ElementTree.Element) -> list[str]:
    return ["".join(found.itertext()) for found in group.iter(f"{_NAMESPACE}text")]


def _words(lines: list[str]) -> list[list[str]]:
    """The words of each line that is not empty; Graphviz writes other spaces."""
    return [words for line in lines if (words := line.split())]


@_needs_graphviz
def test_boxes_frames_and_tooltips() -> None:
    groups = _groups(svg_text(layers(2)))
    assert groups.keys() == {"b0", "b1", "b2", "b3", "b4", "f0"}
    assert _texts(groups["b1"]) == ["dense", "MatMul · 3 nodes"]
    titles = {key: group.findtext(f"{_NAMESPACE}title") for key, group in groups.items()}
    assert titles["b1"] == "net/dense/ (3 nodes)"
    assert titles["b2"] == "net/relu (Relu)"
    assert titles["f0"] == "net/ (4 nodes)"


@_needs_graphviz
def test_no_prologue_and_no_titles_of_edges() -> None:
    text = svg_text(layers(2))
    assert text.startswith("<svg ")
    assert text.count("<title>") == 6


@_needs_graphviz
@pytest.mark.parametrize("depth", [1, 2])
def test_evil_names_stay_text(depth: int) -> None:
    found = drawing(evil(), depth=depth)
    text = svg_text(found)
    groups = _groups(text)
    assert len(groups) == len(found.boxes) + len(found.frames)
    for name, id_ in box_ids(found).items():
        if name in found.boxes:
            label = texts.label(found.boxes[name], NO_FIGURES)
            assert _words(_texts(groups[id_])) == _words(label)
            title = groups[id_].findtext(f"{_NAMESPACE}title")
            assert title == texts.title(found.boxes[name])
    assert "<script" not in text and "<img" not in text


def test_without_graphviz(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InvalidInput,
        match=r"dot is not on PATH: sudo apt-get install graphviz, or write a \.dot file",
    ):
        svg.laid_out(dot_text(layers()))


def _program(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "dot"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_graphviz_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _program(tmp_path, "cat >/dev/null; echo out of memory >&2; exit 3", monkeypatch)
    with pytest.raises(InvalidInput, match=r"^dot failed: out of memory: draw less with --depth"):
        svg.laid_out("digraph {}")


def test_graphviz_takes_too_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _program(tmp_path, "exec sleep 60", monkeypatch)
    monkeypatch.setattr(svg, "_SECONDS", 0.2)
    with pytest.raises(InvalidInput, match=r"^dot did not finish in 0.2 seconds: draw less with"):
        svg.laid_out("digraph {}")


@_needs_graphviz
def test_text_that_is_not_dot() -> None:
    with pytest.raises(InvalidInput, match="dot failed: .*syntax error"):
        svg.laid_out("digraph {")
