"""Tests of what `training: true` adds, and of sources that no library can hold."""

import dataclasses

import pytest
from indexes import INDEX, OPS, op, registration

from tfcarve.errors import AnswerIsNo
from tfcarve.models.node_use import AttrValue, Model, NodeUse, OpAsk
from tfcarve.registry import index
from tfcarve.registry.attr_spec import Argument, Attr
from tfcarve.registry.index import Gradient, IndexFile
from tfcarve.selection import buildable, leftover_kinds
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection

_T = Attr("T", "type")
_APPLY = "ResourceApplyAdam"


def _index() -> IndexFile:
    kernels = (
        registration("ReluGrad", "ReluGradOp<float>", T=("float32",)),
        registration("ReluGrad", "ReluGradOp<double>", T=("float64",)),
        registration(_APPLY, "Adam<float>", T=("float32",)),
        registration(_APPLY, "Adam<double>", T=("float64",)),
        dataclasses.replace(
            registration("Far", "FarOp"), file="tensorflow/core/tpu/kernels/far.cc"
        ),
        dataclasses.replace(registration("Mine", "MineOp"), file="app/mine.cc"),
    )
    ops = (
        op("ReluGrad", _T),
        op(_APPLY, _T),
        op("Far"),
        dataclasses.replace(op("Farther"), file="tensorflow/dtensor/cc/ops.cc"),
        dataclasses.replace(op("Mine"), file="app/mine.cc", inputs=(Argument("x", "resource"),)),
    )
    made = dataclasses.replace(
        INDEX,
        registrations=INDEX.registrations + kernels,
        ops=INDEX.ops + ops,
        gradients=(
            Gradient("Relu", "ReluGrad", OPS, 1, ("ReluGrad",)),
            Gradient("Relu6", "Relu6Grad", OPS, 2, ("Const",)),
            Gradient("ReluGrad", "ReluGradGrad", OPS, 3, ("AddN",)),
        ),
    )
    return index.parse(made.to_json(), "index.json")


def _select(*models: Model) -> Selection:
    return resolve(models, _index(), (), leftover_kinds.load()).selection


def _list(*asks: OpAsk, training: bool = True) -> Model:
    return Model("l.yaml", "00", "ops-list", (), asks=asks, training=training)


def _node(name: str) -> Model:
    attrs = {"T": AttrValue("type", "float32")} if name == "Relu" else {}
    return Model("m.pb", "00", "graphdef", (NodeUse("m.pb", "", "n", name, "", attrs),))


def _classes(selection: Selection) -> set[str]:
    return {k.clazz for k in selection.kernels}


@pytest.mark.parametrize(
    ("models", "classes"),
    [
        ([_list(OpAsk("Relu", None, ("float32",)))], {"ReluOp<float>", "ReluGradOp<float>", "Adam<float>"}),
        (
            [_list(OpAsk("Relu"))],
            {"ReluOp<float>", "ReluOp<double>", "ReluGradOp<float>", "ReluGradOp<double>",
             "Adam<float>", "Adam<double>"},
        ),
        ([_node("Relu"), _list()], {"ReluOp<float>", "ReluGradOp<float>", "Adam<float>"}),
        ([_node("Relu"), _list(OpAsk("NoOp"), training=False)], {"ReluOp<float>", "NoOp"}),
    ],
    ids=["a type", "all types", "of a model", "not asked for"],
)  # fmt: skip
def test_training(models: list[Model], classes: set[str]) -> None:
    selection = _select(*models)
    assert _classes(selection) == classes
    assert "AddN" not in {o.name for o in selection.ops}, "no gradient of a gradient"


def test_what_training_adds_is_told() -> None:
    added = {(a.op, a.rule) for a in _select(_node("Relu"), _list()).added_by_runtime}
    assert added == {("ReluGrad", "training: gradient of Relu"), (_APPLY, "training: optimizers")}


def test_what_no_library_can_hold() -> None:
    with pytest.raises(AnswerIsNo) as raised:
        _select(_node("Far"), Model("o.pb", "1", "graphdef", _node("Farther").nodes))
    text = str(raised.value)
    assert "op 'Far': its kernel is in tensorflow/core/tpu/kernels/far.cc: it is for TPUs" in text
    assert (
        "op 'Farther': defined in tensorflow/dtensor/cc/ops.cc: it works over several hosts" in text
    )
    assert "needed by m.pb: node 'n'" in text
    assert _classes(_select(_node("Mine"))) == {"MineOp"}


@pytest.mark.parametrize(
    ("file", "can"),
    [
        ("tensorflow/core/kernels/relu_op.cc", True),
        ("tensorflow/c/kernels/bitcast_op.cc", True),
        ("tensorflow/contrib/rnn/kernels/lstm_ops.cc", True),
        ("somewhere/else.cc", True),
        ("tensorflow/core/framework/dataset.cc", True),
        ("tensorflow/c/test_op.cc", False),
        ("tensorflow/compiler/jit/kernels/xla_ops.cc", False),
    ],
)
def test_buildable(file: str, can: bool) -> None:
    assert (buildable.why_not(file) == "") == can
