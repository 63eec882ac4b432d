"""Selections with all that sources register: no more and no less."""

from __future__ import annotations

from pathlib import Path

import pytest
import trees
from indexes import INDEX, KERNELS, OPS, registration
from msgspec.structs import replace
from selections import selection

from benchmarks.size import size_selections
from tfcarve.commands.common import Sources
from tfcarve.registry.index import Gradient
from tfcarve.releases import known
from tfcarve.selection import runtime_rules
from tfcarve.selection.selection import Selection
from tfcarve.selection.selection import parse as parse_selection

_RELU = KERNELS + "relu_op.cc"
_CONST = KERNELS + "const_op.cc"
_GRADIENTS = "tensorflow/core/ops/some_grad.cc"


@pytest.fixture
def carved() -> Selection:
    """One class of one op."""
    return selection([("Relu", "ReluOp<float>", _RELU)], [("Relu", OPS)])


def _classes(selected: Selection) -> set[tuple[str, str]]:
    return {(k.op, k.clazz) for k in selected.kernels}


def test_whole_has_all_that_its_sources_register_for_the_cpu(carved: Selection) -> None:
    whole = size_selections.whole(carved, INDEX)
    relu = {"ReluOp<float>", "ReluOp<double>", "FastReluOp"}
    assert _classes(whole) == {("Relu", name) for name in relu} | {("Relu6", "Relu6Op<float>")}
    assert {op.name for op in whole.ops} == {op.name for op in INDEX.ops}


def test_class_that_registers_itself_is_not_listed(carved: Selection) -> None:
    source = KERNELS + "function_ops.cc"
    again = registration("_Arg", "ArgOp", "DEFAULT", file="function_ops.cc", T=("int32",))
    index = replace(INDEX, registrations=(*INDEX.registrations, again))
    stock = size_selections.stock(carved, index, [source], ())
    assert [k.system for k in stock.kernels if k.clazz == "ArgOp"] == [True]
    assert stock.classes_by_file()[source] == ()


def test_whole_has_no_other_source(carved: Selection) -> None:
    whole = size_selections.whole(carved, INDEX)
    assert whole.files == carved.files
    assert whole.helpers == (KERNELS + "relu_helper.cc",)


def test_whole_lists_what_a_unit_without_selection_would_register(carved: Selection) -> None:
    assert carved.classes_by_file()[_RELU] == ("ReluOp<float>",)
    listed = size_selections.whole(carved, INDEX).classes_by_file()[_RELU]
    assert listed == ("FastReluOp", "Relu6Op<float>", "ReluOp<double>", "ReluOp<float>")


def test_stock_adds_the_sources_that_register_something(carved: Selection) -> None:
    sources = [_CONST, KERNELS + "relu_helper.cc", KERNELS + "registers_nothing.cc"]
    stock = size_selections.stock(carved, INDEX, sources, ())
    assert stock.files == (_CONST, _RELU, OPS)
    assert ("Const", "HostConstantOp") in _classes(stock)
    assert ("AddN", "AddNOp<float>") not in _classes(stock)


def test_stock_has_what_the_runtime_needs_besides(carved: Selection) -> None:
    rules = runtime_rules.load(known.release())
    lowering = "tensorflow/core/common_runtime/lower_functional_ops.cc"
    assert lowering in size_selections.stock(carved, INDEX, [], rules).files
    assert lowering not in size_selections.stock(carved, INDEX, [], ()).files


def test_stock_registers_gradients(carved: Selection) -> None:
    index = replace(INDEX, gradients=(Gradient("Relu", "ReluGrad", _GRADIENTS, 1),))
    stock = size_selections.stock(carved, index, [_GRADIENTS], ())
    assert stock.ops_by_file()[_GRADIENTS] == ("SymbolicGradient",)


def test_a_helper_that_is_a_source_itself_is_no_helper(carved: Selection) -> None:
    index = replace(INDEX, helpers={_RELU: (_CONST,)})
    assert size_selections.whole(carved, index).helpers == (_CONST,)
    assert size_selections.stock(carved, index, [_CONST], ()).helpers == ()


def test_made_selections_are_read_back(carved: Selection) -> None:
    whole = size_selections.whole(carved, INDEX)
    assert parse_selection(whole.to_json(), "made") == whole


def test_portable_sources_of_a_tree(tmp_path: Path) -> None:
    kernels, ops = "tensorflow/core/kernels", "tensorflow/core/ops"
    group = 'filegroup(name = "{}", srcs = glob(["*.cc", "*.h"]))'
    trees.write(
        tmp_path,
        {
            f"{kernels}/BUILD": group.format("portable_tensorflow_kernels"),
            f"{kernels}/plain.cc": '#include "tensorflow/core/kernels/plain.h"',
            f"{kernels}/plain.h": "",
            f"{kernels}/unicode_ops.cc": "// It needs ICU.",
            f"{kernels}/decode_proto_op.cc": "",
            f"{ops}/BUILD": group.format("portable_op_registrations_and_gradients"),
            f"{ops}/some_ops.cc": "",
        },
    )
    found = size_selections.portable_sources(Sources(tmp_path, known.release()))
    assert found == {f"{kernels}/plain.cc", f"{ops}/some_ops.cc"}


def test_portable_sources_of_tensorflow() -> None:
    found = size_selections.portable_sources(Sources(trees.tensorflow(), known.release()))
    assert len(found) > 500
    assert {_RELU, "tensorflow/core/ops/array_ops.cc"} <= found
    assert "tensorflow/core/kernels/image/decode_image_op.cc" not in found, "needs libjpeg"
