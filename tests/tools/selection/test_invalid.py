"""Tests of selections for models whose graphs TensorFlow refuses."""

from __future__ import annotations

from typing import Any

import pytest
from indexes import INDEX, OPS, op, registration
from msgspec.structs import replace

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Function, Model, NodeUse, Parts
from tfcarve.models.versions import Versions
from tfcarve.op_definition import Argument, Attr
from tfcarve.registry.index import Deprecation, KernelIndex, OpDefinition
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.resolve import Resolved, resolve

_FLOAT = {"T": AttrValue("type", "float32")}
_HANDLE = Argument("t", "resource")
_CONST = {"dtype": AttrValue("type", "float32"), "value": AttrValue("tensor", ("float32", ()))}


def _typed(name: str, ref: bool = False) -> Argument:
    return Argument(name, type_attr="T", ref=ref)


def _index() -> KernelIndex:
    ops = (
        OpDefinition("Const", OPS, 1, attrs={"dtype": Attr("type")}, outputs=(Argument("y", type_attr="dtype"),)),
        OpDefinition("Assign", OPS, 1, attrs={"T": Attr("type")}, inputs=(_typed("ref", True), _typed("v")),
                     outputs=(_typed("ref", True),)),
        replace(op("Old", T=Attr("type", "float32")), deprecation=Deprecation(9, "Use New")),
        replace(op("HashTableV2"), outputs=(_HANDLE,)),
        replace(op("InitializeTableV2"), inputs=(_HANDLE,)),
        replace(op("LookupTableFindV2"), inputs=(_HANDLE,)),
    )  # fmt: skip
    names = {each.name for each in ops}
    kept = tuple(each for each in INDEX.ops if each.name not in names)
    kernels = tuple(
        registration(each.name, f"{each.name}Op") for each in ops if each.name != "Const"
    )
    return replace(INDEX, ops=kept + ops, registrations=INDEX.registrations + kernels)


def _node(name: str, op: str, *inputs: str, function: str = "", **attrs: AttrValue) -> NodeUse:
    return NodeUse("m.pb", function, name, op, "", attrs, inputs)


def _model(nodes: Any, kind: str = "graphdef", **fields: Any) -> Model:
    return Model("m.pb", lambda: "00", kind, nodes, **fields)


def _resolved(*models: Model) -> Resolved:
    return resolve(
        models, _index(), known.release(), (), leftover_kinds.load(known.release()), "auto"
    )


def _text(*models: Model) -> str:
    with pytest.raises(CheckFailed) as raised:
        _resolved(*models)
    return str(raised.value)


_FROZEN_VARIABLE = [
    _node("w", "Const", **_CONST),
    *(_node(f"set{i}", "Assign", "w", "w", **_FLOAT) for i in range(5)),
]


def test_a_constant_in_place_of_a_variable() -> None:
    shown = _text(_model(_FROZEN_VARIABLE)).splitlines()
    assert shown[:4] == [
        "TensorFlow 9.8.7 cannot run the models: 1 invalid:",
        "  op 'Assign' needs a variable, but the graph has a constant in its place",
        "    in m.pb: node 'set0': takes w (Const) of type float32, must take float32_ref",
        "    in m.pb: node 'set1': takes w (Const) of type float32, must take float32_ref",
    ]
    assert shown[5] == "    in 2 more nodes"
    command = "tfcarve transform m.pb -o OUT --outputs NAMES --transforms strip_unused_nodes"
    assert command in shown[6]


def test_everything_that_is_wrong_is_listed() -> None:
    wrong = [*_FROZEN_VARIABLE, _node("u", "Unheard"), _node("r", "NoOp", "^gone")]
    text = _text(_model(wrong))
    assert text.startswith("TensorFlow 9.8.7 cannot run the models: 1 missing, 2 invalid:")
    for each in ("op 'Unheard' is unknown", "op 'Assign' needs a variable", "takes ^gone"):
        assert each in text


@pytest.mark.parametrize(("producers", "refused"), [((), False), ((8,), False), ((9,), True)])
def test_ops_that_graphs_of_this_version_may_not_have(
    producers: tuple[int, ...], refused: bool
) -> None:
    model = _model([_node("n", "Old")], versions=tuple(map(Versions, producers)))
    if not refused:
        assert _resolved(model).selection.ops[0].name == "Old"
        return
    text = _text(model)
    assert "op 'Old': graphs of version 9 and later may not have it; this one has version 9" in text
    assert "TensorFlow says: Use New" in text


def test_bodies_are_checked_if_they_can_run() -> None:
    functions = {"F": Function(), "Uncalled": Function()}
    bad = [_node("n", "NoOp", "^gone", function=name) for name in functions]
    assert _resolved(_model(bad, functions=functions))
    text = _text(_model([_node("call", "F"), *bad], functions=functions))
    assert text.count("takes ^gone") == 1
    assert "in m.pb: node 'n' in function F: takes ^gone" in text


def test_graphs_of_one_file_are_checked_one_by_one() -> None:
    same = [_node("n", "NoOp")]
    assert _resolved(_model(Parts((same, same))))
    assert "several nodes have the same name" in _text(_model([*same, *same]))


def test_other_formats_are_not_graphs() -> None:
    assert _resolved(_model([_node("n", "NoOp", "^gone")], "tflite-flex"))


def test_tables() -> None:
    lookup = [_node("t", "HashTableV2"), _node("find", "LookupTableFindV2", "t")]
    text = _text(_model(lookup))
    assert "lookup table 't' is never initialized: 'find' fails when it runs" in text
    assert "in m.pb: node 'find': reads t" in text
    initialized = [*lookup, _node("init", "InitializeTableV2", "t")]
    (warning,) = _resolved(_model(initialized)).warnings
    assert "unless 'init' has run in the session" in warning
    assert "tfcarve freeze m.pb --outputs NAMES -o OUT" in warning
    assert _resolved(_model(lookup, "saved_model")).warnings == (), "freezing replaces them"
