"""Selection of models whose ops, attributes or versions are newer than the TensorFlow of the index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import indexes
import pytest
from msgspec.structs import replace

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Function, Model, NodeUse, RequestedOp
from tfcarve.models.versions import Versions
from tfcarve.op_definition import Attr
from tfcarve.registry.index import KernelIndex, OpDefinition
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.resolve import Resolved, resolve

_KINDS = leftover_kinds.load(known.release())
_NAMES = ("MatMul", "ScatterNd", "VarHandleOp")
_POLICY = "bad_indices_policy"
_WRITTEN = Versions(2474, 12)  # by TensorFlow 2.21


def _index(version: str, *ops: OpDefinition) -> KernelIndex:
    """An index of ops with a kernel each."""
    defined = (*map(indexes.op, _NAMES), *ops)
    kernels = tuple(indexes.registration(op.name, f"{op.name}Kernel") for op in defined)
    facts = replace(indexes.INDEX.tensorflow, version=version)
    return KernelIndex(facts, kernels, defined)


_INDEX = _index("2.14.1")


def _node(op: str, function: str = "", **attrs: AttrValue) -> NodeUse:
    return NodeUse("m.pb", function, "n", op, "", attrs)


def _string(text: str) -> AttrValue:
    return AttrValue("string", text)


def _model(
    *nodes: NodeUse,
    form: str = "graphdef",
    functions: Mapping[str, Function] | None = None,
    requests: Iterable[RequestedOp] = (),
    versions: Versions = _WRITTEN,
) -> Model:
    return Model(
        "m.pb",
        lambda: "00",
        form,
        nodes,
        functions or {},
        tuple(requests),
        versions=(versions,),
    )


def _resolve(model: Model, index: KernelIndex = _INDEX) -> Resolved:
    return resolve([model], index, known.release(), (), _KINDS, "auto")


def _message(model: Model, index: KernelIndex = _INDEX) -> str:
    with pytest.raises(CheckFailed) as caught:
        _resolve(model, index)
    return str(caught.value)


def test_a_newer_op_is_refused() -> None:
    assert _message(_model(_node("FFTND"))) == (
        "TensorFlow 2.14.1 cannot run the models: 1 missing:\n"
        "  op 'FFTND' is newer than TensorFlow 2.14.1: 2.15 is the first release that has it\n"
        "    needed by m.pb: node 'n'\n"
        "    replace the layer or function that creates it; or, if the program that creates the model also runs with TensorFlow "
        "2.14, export the model with 2.14; or pass a C++ source that defines an op of this name with --custom-op"
    )


@pytest.mark.parametrize("op", ["DecodeWebP", "GlobalShuffleDataset", "RFFTND"])
def test_each_kind_of_model_is_refused(op: str) -> None:
    models = (
        _model(_node(op, "f"), _node("f"), functions={"f": Function()}),
        _model(_node(op), form="tflite-flex"),
        _model(form="ops-list", requests=[RequestedOp(op)]),
    )
    for model in models:
        assert f"op '{op}' is newer than TensorFlow 2.14.1" in _message(model)


def test_an_unknown_op_is_not_called_new() -> None:
    message = _message(_model(_node("FFTNDD")))
    assert "op 'FFTNDD' is unknown to TensorFlow 2.14.1" in message
    assert "first release" not in message


def test_a_function_may_have_the_name_of_a_newer_op() -> None:
    called = _model(
        _node("FFTND"),
        _node("MatMul", "FFTND"),
        functions={"FFTND": Function(returned={"y": "n:product:0"})},
    )
    assert [op.name for op in _resolve(called).selection.ops] == ["MatMul"]


def test_a_custom_op_may_have_the_name_of_a_newer_op() -> None:
    mine = replace(indexes.op("FFTND", axes=Attr("int", 0)), file="mine.cc")
    found = _resolve(_model(_node("FFTND", axes=AttrValue("int", 2))), _index("2.14.1", mine))
    assert [(op.name, op.file) for op in found.selection.ops] == [("FFTND", "mine.cc")]


@pytest.mark.parametrize(
    ("version", "text"),
    [
        ("2.1.0-rc2", "is newer than TensorFlow 2.1.0-rc2: 2.15 is the first release that has it"),
        ("unknown", "is newer than TensorFlow unknown"),
        ("2.15.0", "is unknown to TensorFlow 2.15.0"),
        ("2.21.0", "is unknown to TensorFlow 2.21.0"),
    ],
)
def test_other_trees(version: str, text: str) -> None:
    assert f"op 'FFTND' {text}" in _message(_model(_node("FFTND")), _index(version))


def test_an_attribute_that_changes_the_result_is_refused() -> None:
    node = _node("ScatterNd", **{_POLICY: _string("IGNORE")})
    assert _message(_model(node)) == (
        "TensorFlow 2.14.1 cannot run the models: 1 refused:\n"
        "  op 'ScatterNd' with bad_indices_policy 'IGNORE': TensorFlow 2.14.1 does not have this attribute: 2.18 is the first "
        "release that has it\n"
        "    needed by m.pb: node 'n'\n"
        "    use its default value, '', or replace the layer or function that sets it"
    )


@pytest.mark.parametrize(
    "value",
    [AttrValue("unset", None), AttrValue("placeholder", "p"), AttrValue("list(string)", ("",)), AttrValue("int", 0)],
)  # fmt: skip
def test_values_that_are_no_default_are_refused(value: AttrValue) -> None:
    assert "1 refused" in _message(_model(_node("ScatterNd", **{_POLICY: value})))


def test_attributes_of_other_functions_are_not_refused() -> None:
    """Nothing calls the function."""
    unused = _node("ScatterNd", "f", **{_POLICY: _string("IGNORE")})
    assert _resolve(_model(_node("MatMul"), unused, functions={"f": Function()})).notes == ()


@pytest.mark.parametrize(
    "attrs",
    [
        {"grad_a": AttrValue("bool", True), "grad_b": AttrValue("bool", False)},
        {"debug_name": _string("any"), _POLICY: _string("no attribute of this op")},
        {_POLICY: _string("")},
        {_POLICY: _string("ERROR"), "_policy": _string("IGNORE")},
    ],
)
def test_attributes_that_change_nothing_are_accepted(attrs: dict[str, AttrValue]) -> None:
    for op in ("MatMul", "VarHandleOp", "ScatterNd"):
        accepted = not (op == "ScatterNd" and attrs.get(_POLICY, _string("")).value[:2] == "no")
        if accepted:
            _resolve(_model(_node(op, **attrs)))
        else:
            assert "1 refused" in _message(_model(_node(op, **attrs)))


def test_ignored_attributes_of_a_graph_are_noted() -> None:
    node = _node("MatMul", grad_a=AttrValue("bool", False), grad_b=AttrValue("bool", True))
    note = (
        "m.pb: TensorFlow 2.14.1 does not have grad_a of MatMul, grad_b of MatMul: the library ignores them, and logs an error "
        "when it loads the graph: tfcarve freeze m.pb -o OUT removes them"
    )
    assert _resolve(_model(node)).notes == (note,)
    assert _resolve(_model(node, form="graphdef-text")).notes == (note,)
    # Freezing a SavedModel that is trained on the device would remove its variables.
    assert _resolve(_model(node, form="saved_model")).notes == ()
    assert _resolve(_model(_node("MatMul"))).notes == ()


def test_a_tree_that_has_the_attribute() -> None:
    defined = indexes.op("GatherNd", **{_POLICY: Attr("string", "")})
    node = _node("GatherNd", **{_POLICY: _string("IGNORE")})
    assert _resolve(_model(node), _index("2.18.0", defined)).notes == ()
    assert "1 refused" in _message(_model(node), _index("2.14.1", indexes.op("GatherNd")))


def test_graphs_for_later_consumers_are_refused() -> None:
    later = Versions(2474, 1576)
    assert _message(_model(_node("MatMul"), versions=later)) == (
        "TensorFlow 2.14.1 cannot run the models: 1 refused:\n"
        "  m.pb: the graph is for consumers of version 1576 and later (min_consumer), and TensorFlow 2.14.1 has version 1575: "
        "2.15 is the first release that accepts it\n"
        "    export the model with TensorFlow 2.14, or correct the program that sets min_consumer and bad_consumers"
    )
    bad = Versions(2474, 0, frozenset((1575,)))
    assert "excludes consumers of version 1575" in _message(_model(_node("MatMul"), versions=bad))
    _resolve(_model(_node("MatMul"), versions=_WRITTEN))  # the control
    # The version of another tree is unknown.
    _resolve(_model(_node("MatMul"), versions=later), _index("2.14.0"))
