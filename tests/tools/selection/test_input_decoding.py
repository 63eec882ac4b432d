"""Tests of finding input decoding, on small graphs; tests/zoo has real ones."""

from __future__ import annotations

import node_lines
import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_lines import END, MANY, chain, each

from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.input_decoding import decoding


def _found(text: str, outputs: str = "", function: str = "") -> dict[str, str]:
    uses = node_lines.nodes(text, function)
    return dict(
        decoding(uses, frozenset(outputs.split()), leftover_kinds.load(known.release()).decoding)
    )


_PICTURE = """
file Placeholder$
bytes ReadFile file
ratio Const
image DecodeJpeg bytes
floats Cast image
axis Const
batch ExpandDims floats axis
size Const
resized ResizeBilinear batch size
mean Const
y Sub resized mean
"""
_DECODING = {"bytes", "image", "floats", "axis", "batch", "size", "resized"}


def test_decoding_of_a_file() -> None:
    found = _found(_PICTURE)
    assert found.keys() == _DECODING
    (how,) = set(found.values())
    assert how.startswith(
        "tfcarve transform MODEL --inputs resized --outputs OUTPUTS --transforms "
    )
    assert _found(_PICTURE, outputs="y") == found


def test_it_ends_at_a_node_with_several_successors() -> None:
    assert _found(_PICTURE + "shape Shape floats").keys() == {"bytes", "image", "floats"}
    assert _found(_PICTURE + "waits NoOp ^image").keys() == {"bytes", "image"}
    assert _found(_PICTURE + "z Neg size").keys() == _DECODING - {"size"}
    assert _found(_PICTURE + "z Neg bytes").keys() == _DECODING - {"bytes"}


def test_it_ends_before_a_node_with_other_inputs() -> None:
    other = _PICTURE.replace("size Const", "size Placeholder")
    assert _found(other).keys() == _DECODING - {"size", "resized"}


def test_nodes_that_an_app_cannot_feed_are_not_found() -> None:
    """In a loop a node has a value for each iteration; in a branch that is not taken it has none."""
    for op in ("Enter", "Switch"):
        inner = _PICTURE.replace("bytes ReadFile file", f"inner {op} file\nbytes ReadFile inner")
        assert _found(inner) == {}
    after = _PICTURE.replace("y Sub resized mean", "inner Enter resized\ny Sub inner mean")
    assert _found(after).keys() == _DECODING


def test_several_tensors() -> None:
    found = _found("wav Placeholder$\nd DecodeWav wav\ns AudioSpectrogram d:0\nm Mfcc s d:1")
    assert found.keys() == {"d"}
    assert "tfcarve freeze MODEL --inputs d,d:1 --outputs" in found["d"]
    # A Placeholder has one output, so that strip_unused_nodes can't replace the second one.
    found = _found("wav Placeholder$\nd DecodeWav wav\nr Neg d:1")
    assert "tfcarve freeze MODEL --inputs d:1 --outputs" in found["d"]


@pytest.mark.parametrize("output", ["image", "resized", "floats"])
def test_decoded_outputs(output: str) -> None:
    assert _found(_PICTURE, outputs=output) == {}


def test_nodes_without_consumers_are_outputs() -> None:
    assert _found("file Placeholder$\nimage DecodeJpeg file") == {}


@pytest.mark.parametrize(
    "source",
    ["file Placeholder", "q FIFOQueueV2\nfile QueueDequeueV2 q", "file IteratorGetNext$", "file VarHandleOp"],
)  # fmt: skip
def test_other_sources_than_string_placeholders(source: str) -> None:
    assert _found(_PICTURE.replace("file Placeholder$", source)) == {}


def test_a_saved_picture_instead_of_a_placeholder() -> None:
    saved = "contents Const\nimage DecodeJpeg contents\nfloats Cast image\ny Relu floats\n"
    assert _found(saved).keys() == {"contents", "image", "floats"}
    # Where the app feeds something else the picture belongs to the model.
    assert _found(saved + "x Placeholder\nz Add x floats") == {}


def test_nodes_shared_by_two_decoders() -> None:
    text = "file Placeholder$\nbytes ReadFile file\na DecodePng bytes\nb DecodePng bytes\ny Add a b"
    assert _found(text).keys() == {"bytes", "a", "b"}
    assert _found(text, outputs="b").keys() == {"a"}


def test_loops() -> None:
    assert _found("saved Const\nimage DecodeJpeg saved\na Reshape image b\nb Cast a") == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (chain("Identity", "x") + each(f"d# DecodeJpeg {END}\ny# Relu d#"), 2 * MANY),
        (chain("Cast", "d") + f"d DecodeJpeg x\ny Relu {END}", MANY + 1),
        (chain("Reshape", "d", "k") + f"d DecodeJpeg x\ny Relu {END}", MANY + 2),
        (chain("DecodePng", "x") + f"y Relu {END}", MANY),
        (each("d# DecodeJpeg x") + "x Placeholder$\ny ConcatV2 " + each("d#").replace("\n", " "), MANY),
        (each("d# DecodeJpeg k") + "k Const\na Identity " + each("d#").replace("\n", " ") + "\ny Relu a", MANY + 2),
    ],
    ids=["upstream", "following", "constants", "decoders", "together", "saved"],
)  # fmt: skip
def test_many_nodes(text: str, found: int) -> None:
    assert len(_found(text)) == found


def test_none_in_functions() -> None:
    assert _found(_PICTURE, function="F") == {}


def test_names_are_quoted() -> None:
    found = _found("f Placeholder$\na\x1b[2J DecodePng f\ny Relu a\x1b[2J")
    assert "'a\\x1b[2J'" in found["a\x1b[2J"]


_OPS = ["Add", "Cast", "Const", "DecodeJpeg", "DecodePng", "Identity", "NoOp", "Placeholder", "Placeholder$",
        "ReadFile", "Relu", "Reshape"]  # fmt: skip
_NAMES = st.sampled_from([f"n{i}" for i in range(9)])


@given(
    st.lists(st.tuples(st.sampled_from(_OPS), st.lists(_NAMES, max_size=3)), max_size=9),
    st.frozensets(_NAMES, max_size=2),
)
def test_successors_of_found_nodes_are_found_or_fed(
    rows: list[tuple[str, list[str]]], outputs: frozenset[str]
) -> None:
    text = "\n".join(" ".join([f"n{i}", op, *values]) for i, (op, values) in enumerate(rows))
    found = _found(text, " ".join(outputs))
    assert not outputs & found.keys()
    for use in node_lines.nodes(text):
        assert not (use.node in found and use.op == "Placeholder")
        for name in found.keys() & set(use.inputs):
            assert use.node in found or f" --inputs {name} " in found[name]
