"""Attribute values that kernels refuse: the table is what TensorFlow refuses, and selection refuses nodes with them."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Model, NodeUse
from tfcarve.registry.index import KernelIndex, OpDefinition, Registration, TensorflowFacts
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, refused_attributes
from tfcarve.selection.need import Need
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection

_GPU_ONLY = "NCHW_VECT_C"
_KERNELS = "tensorflow/core/kernels/a.cc"


@cache
def _refused_by_tensorflow() -> dict[str, Any]:
    program = Path(__file__).with_name("refused_by_tensorflow.py")
    done = subprocess.run([sys.executable, program], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_layouts_are_those_that_tensorflow_refuses() -> None:
    found = _refused_by_tensorflow()["formats"]
    assert [op for op, formats in found.items() if formats is None] == [], "without an example"
    table = refused_attributes.load(known.release())
    listed = {
        op: sorted(
            {value for e in entries if e.attribute == "data_format" for value in e.values}
            - {_GPU_ONLY}
        )
        for op, entries in table.items()
        if not op.startswith("_") and any(e.attribute == "data_format" for e in entries)
    }
    assert listed == {op: formats for op, formats in found.items() if formats}
    # The control: some ops compute all layouts.
    assert found["FusedBatchNormV3"] == found["BiasAdd"] == []


def test_lists_are_those_that_tensorflow_refuses() -> None:
    listed: dict[str, dict[str, set[str]]] = {}
    for op, entries in refused_attributes.load(known.release()).items():
        for entry in entries:
            if entry.requires:
                listed.setdefault(entry.attribute, {}).setdefault(op, set()).add(entry.requires)
    found = _refused_by_tensorflow()["rules"]
    assert listed == {
        attribute: {op: set(rules) for op, rules in of_ops.items() if rules}
        for attribute, of_ops in found.items()
    }
    # The control: some ops compute all windows, strides and dilations of rows and columns.
    assert found["ksize"]["MaxPool"] == []
    assert "ones" not in found["dilations"]["Conv2D"]


def _node(name: str, op: str, **attrs: str) -> NodeUse:
    return NodeUse("m.pb", "", name, op, "", {k: AttrValue("string", v) for k, v in attrs.items()})


def _select(*nodes: NodeUse) -> Selection:
    ops = tuple(OpDefinition(op, "tensorflow/core/ops/a.cc", 1) for op in ("Conv2D", "BiasAdd"))
    kernels = tuple(
        Registration(
            op=op.name, device="CPU", constraints={}, label="", priority=0, host_memory=(), system=False,
            clazz=f"{op.name}Op", file=_KERNELS, line=1,
        )
        for op in ops
    )  # fmt: skip
    index = KernelIndex(TensorflowFacts("2.14.1", "00", ()), kernels, ops)
    model = Model("m.pb", lambda: "00", "graphdef", nodes, {}, ())
    return resolve(
        [model], index, known.release(), (), leftover_kinds.load(known.release()), "auto"
    ).selection


def test_selection_refuses_the_nodes() -> None:
    nodes = [
        _node("conv", "Conv2D", data_format="NCHW"),
        _node("last", "Conv2D", data_format="NHWC"),
        _node("bias", "BiasAdd", data_format="NCHW"),
        _node("other", "Conv2D", data_format="NCHW"),
        _node("x", "Absent"),
    ]
    with pytest.raises(CheckFailed, match="1 missing, 1 refused:") as failed:
        _select(*nodes)
    (_, refused) = failed.value.problems
    assert refused.text().splitlines() == [
        "op 'Conv2D' with data_format 'NCHW': its CPU kernel computes only NHWC",
        "    needed by m.pb: node 'conv'",
        "    needed by m.pb: node 'other'",
        "    convert the model: tfcarve transform MODEL --transforms convert_layout",
    ]


@pytest.mark.parametrize(
    ("encoding", "is_refused"),
    [
        ("UTF-8", False),
        ("utf8", False),
        ("UTF_16-BE", False),
        ("UTF-16", True),
        ("big5", True),
        ("", True),
    ],
)
def test_supported_values(encoding: str, is_refused: bool) -> None:
    node = _node("text", "UnicodeDecode", input_encoding=encoding)
    found = refused_attributes.refusal(node, known.release())
    assert (found is not None) == is_refused


@pytest.mark.parametrize("op", ["StringLower", "StringUpper"])
def test_case_of_other_letters_requires_icu(op: str) -> None:
    found = refused_attributes.refusal(_node("text", op, encoding="utf-8"), known.release())
    assert found is not None
    _, _, refused = found
    assert refused.why == "it requires ICU, which tfcarve does not build"
    # The control: ASCII letters.
    assert refused_attributes.refusal(_node("text", op, encoding=""), known.release()) is None


@pytest.mark.parametrize(("dtype", "is_refused"), [("int32", True), ("int64", False)])
def test_refused_types(dtype: str, is_refused: bool) -> None:
    attrs = {"Tsplits": AttrValue("type", dtype), "input_encoding": AttrValue("string", "UTF-8")}
    node = NodeUse("m.pb", "", "text", "UnicodeDecodeWithOffsets", "", attrs)
    assert (refused_attributes.refusal(node, known.release()) is not None) == is_refused


@pytest.mark.parametrize(
    ("op", "attribute", "value", "why"),
    [
        ("DepthwiseConv2dNative", "dilations", (1, 2, 2, 1), "computes no dilations"),
        ("DepthwiseConv2dNative", "dilations", (1, 1, 1, 1), None),
        ("DepthwiseConv2dNative", "strides", (1, 1, 2, 1), "equal strides of rows and columns"),
        ("DepthwiseConv2dNative", "strides", (1, 2, 2, 1), None),
        ("DepthwiseConv2dNative", "strides", (2, 1, 1, 1), "only strides over rows"),
        ("Conv2DBackpropInput", "dilations", (1, 1, 2, 1), "computes no dilations"),
        ("Conv2DBackpropInput", "strides", (1, 1, 2, 1), None),
        ("Conv3D", "dilations", (1, 1, 1, 2, 1), "computes no dilations"),
        ("Conv2D", "dilations", (1, 1, 2, 1), None),
        ("AvgPool", "ksize", (1, 1, 1, 3), "only windows over rows, columns and planes"),
        ("AvgPool", "ksize", (1, 2, 3, 1), None),
        ("AvgPool", "ksize", (), None),
    ],
)
def test_refused_lists(op: str, attribute: str, value: tuple[int, ...], why: str | None) -> None:
    node = NodeUse("m.pb", "", "n", op, "", {attribute: AttrValue("list(int)", value)})
    found = refused_attributes.refusal(node, known.release())
    assert (found is not None) == (why is not None)
    if found and why:
        (problem,) = refused_attributes.problems({found: [Need("m.pb", "n")]})
        assert problem.text().startswith(
            f"op '{op}' with {attribute} {list(value)}: its CPU kernel"
        )
        assert why in problem.text()
        assert "m.pb: node 'n'" in problem.text()


def test_a_list_of_another_type_is_not_refused() -> None:
    """A damaged model: TensorFlow's check of the node's attributes finds it."""
    for value in (AttrValue("other", None), AttrValue("string", "1"), AttrValue("list()", ())):
        node = NodeUse("m.pb", "", "n", "Conv2DBackpropInput", "", {"dilations": value})
        assert refused_attributes.refusal(node, known.release()) is None


def test_the_layout_is_reported_first() -> None:
    """Because a transform changes it; strides are for channels last then."""
    attrs = {
        "data_format": AttrValue("string", "NCHW"),
        "strides": AttrValue("list(int)", (1, 1, 2, 2)),
    }
    node = NodeUse("m.pb", "", "n", "DepthwiseConv2dNative", "", attrs)
    found = refused_attributes.refusal(node, known.release())
    assert found is not None
    assert "convert_layout" in found[2].fix


def test_other_values_are_selected() -> None:
    nodes = [
        _node("last", "Conv2D", data_format="NHWC"),
        _node("default", "Conv2D"),
        _node("bias", "BiasAdd", data_format="NCHW"),
    ]
    assert [kernel.clazz for kernel in _select(*nodes).kernels] == ["BiasAddOp", "Conv2DOp"]
