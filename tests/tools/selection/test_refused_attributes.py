"""Attribute values that kernels refuse: the table is what TensorFlow refuses, and selection refuses nodes with them."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Model, NodeUse
from tfcarve.registry.index import KernelIndex, OpDefinition, Registration, TensorflowFacts
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, refused_attributes
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection

_GPU_ONLY = "NCHW_VECT_C"
_KERNELS = "tensorflow/core/kernels/a.cc"


@cache
def _refused_by_tensorflow() -> dict[str, list[str] | None]:
    program = Path(__file__).with_name("formats_of_tensorflow.py")
    done = subprocess.run([sys.executable, program], check=True, capture_output=True, text=True)
    found: dict[str, list[str] | None] = json.loads(done.stdout)
    return found


def test_table_is_what_tensorflow_refuses() -> None:
    found = _refused_by_tensorflow()
    assert [op for op, formats in found.items() if formats is None] == [], "without an example"
    table = refused_attributes.load(known.release())
    listed = {
        op: sorted(entry.values - {_GPU_ONLY})
        for op, entries in table.items()
        for entry in entries
        if entry.attribute == "data_format" and not op.startswith("_")
    }
    assert listed == {op: formats for op, formats in found.items() if formats}
    # The control: some ops compute all layouts.
    assert found["FusedBatchNormV3"] == found["BiasAdd"] == []


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
    return resolve([model], index, (), leftover_kinds.load(known.release())).selection


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


@pytest.mark.parametrize(("dtype", "is_refused"), [("int32", True), ("int64", False)])
def test_refused_types(dtype: str, is_refused: bool) -> None:
    attrs = {"Tsplits": AttrValue("type", dtype), "input_encoding": AttrValue("string", "UTF-8")}
    node = NodeUse("m.pb", "", "text", "UnicodeDecodeWithOffsets", "", attrs)
    assert (refused_attributes.refusal(node, known.release()) is not None) == is_refused


def test_other_values_are_selected() -> None:
    nodes = [
        _node("last", "Conv2D", data_format="NHWC"),
        _node("default", "Conv2D"),
        _node("bias", "BiasAdd", data_format="NCHW"),
    ]
    assert [kernel.clazz for kernel in _select(*nodes).kernels] == ["BiasAddOp", "Conv2DOp"]
