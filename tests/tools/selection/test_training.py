"""Tests of what `training: true` adds, and of sources that no library can contain."""

import pytest
from indexes import INDEX, OPS, op, registration
from msgspec.structs import replace

from tfcarve.emit.header import header
from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Model, NodeUse, RequestedOp
from tfcarve.op_definition import Attr
from tfcarve.registry import index
from tfcarve.registry.index import Gradient, KernelIndex
from tfcarve.releases import known
from tfcarve.selection import buildable, leftover_kinds
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection, parse

_T = Attr("type")
_APPLY = "ResourceApplyAdam"
_CALL = "SymbolicGradientOp"
_GRADIENTS = "tensorflow/core/ops/relu_grad.cc"


def _index() -> KernelIndex:
    kernels = (
        registration("SymbolicGradient", "SymbolicGradientOp"),
        registration("ReluGrad", "ReluGradOp<float>", T=("float32",)),
        registration("ReluGrad", "ReluGradOp<double>", T=("float64",)),
        registration(_APPLY, "Adam<float>", T=("float32",)),
        registration(_APPLY, "Adam<double>", T=("float64",)),
        replace(registration("Far", "FarOp"), file="tensorflow/core/tpu/kernels/far.cc"),
        replace(registration("Mine", "MineOp"), file="app/mine.cc"),
    )
    ops = (
        op("SymbolicGradient"),
        op("ReluGrad", T=_T),
        op(_APPLY, T=_T),
        op("Far"),
        replace(op("Farther"), file="tensorflow/dtensor/cc/ops.cc"),
        replace(op("Mine"), file="app/mine.cc"),
    )
    made = replace(
        INDEX,
        registrations=INDEX.registrations + kernels,
        ops=INDEX.ops + ops,
        gradients=(
            Gradient("Relu", "ReluGrad", _GRADIENTS, 1, ("ReluGrad",)),
            Gradient("Relu6", "Relu6Grad", OPS, 2, ("Const",)),
            Gradient("ReluGrad", "ReluGradGrad", OPS, 3, ("AddN",)),
        ),
    )
    return index.parse(made.to_json(), "index.json")


def _select(*models: Model) -> Selection:
    return resolve(
        models, _index(), known.release(), (), leftover_kinds.load(known.release()), "session"
    ).selection


def _list(*requests: RequestedOp, training: bool = True) -> Model:
    return Model("l.yaml", lambda: "00", "ops-list", (), requests=requests, training=training)


def _node(op: str) -> Model:
    attrs = {"T": AttrValue("type", "float32")} if op == "Relu" else {}
    return Model("m.pb", lambda: "00", "graphdef", (NodeUse("m.pb", "", op, op, "", attrs),))


def _classes(selection: Selection) -> set[str]:
    return {k.clazz for k in selection.kernels}


@pytest.mark.parametrize(
    ("models", "classes"),
    [
        ([_list(RequestedOp("Relu", None, ("float32",)))], {"ReluOp<float>", "ReluGradOp<float>", "Adam<float>", _CALL}),
        (
            [_list(RequestedOp("Relu"))],
            {"ReluOp<float>", "ReluOp<double>", "ReluGradOp<float>", "ReluGradOp<double>",
             "Adam<float>", "Adam<double>", _CALL},
        ),
        ([_node("Relu"), _list()], {"ReluOp<float>", "ReluGradOp<float>", "Adam<float>", _CALL}),
        ([_node("Relu"), _list(RequestedOp("NoOp"), training=False)], {"ReluOp<float>", "NoOp"}),
    ],
    ids=["a type", "all types", "of a model", "not requested"],
)  # fmt: skip
def test_training(models: list[Model], classes: set[str]) -> None:
    selection = _select(*models)
    assert _classes(selection) == classes
    assert "AddN" not in {o.name for o in selection.ops}, "no gradient of a gradient"


def test_ops_that_training_adds_are_listed() -> None:
    added = {(a.op, a.rule) for a in _select(_node("Relu"), _list()).added_by_runtime}
    assert added == {
        ("ReluGrad", "training: gradient of Relu"),
        ("SymbolicGradient", "training: optimizers"),
        (_APPLY, "training: optimizers"),
    }


@pytest.mark.parametrize("training", [True, False])
def test_sources_that_register_gradients(training: bool) -> None:
    """A unit and the classic header register gradients if they list the op that calls them."""
    selection = _select(_node("Relu"), _list(RequestedOp("NoOp"), training=training))
    assert (_GRADIENTS in selection.files) == training
    listed = selection.ops_by_file().get(_GRADIENTS, ())
    assert listed == (("SymbolicGradient",) if training else ())
    define = f"#define SHOULD_REGISTER_OP_GRADIENT {str(training).lower()}\n"
    assert define in header(selection).decode()
    assert parse(selection.to_json(), "s.json") == selection


def test_a_model_that_calls_gradients() -> None:
    nodes = (*_node("Relu").nodes, *_node("SymbolicGradient").nodes)
    selection = _select(Model("m.pb", lambda: "00", "graphdef", nodes))
    assert selection.gradient_files == (_GRADIENTS,)
    assert "ReluGradOp<float>" in _classes(selection)
    assert _APPLY not in {o.name for o in selection.ops}, "no optimizer is requested"


def test_unbuildable_sources() -> None:
    with pytest.raises(CheckFailed) as raised:
        _select(_node("Far"), Model("o.pb", lambda: "1", "graphdef", _node("Farther").nodes))
    text = str(raised.value)
    assert (
        "op 'Far': its kernel is in tensorflow/core/tpu/kernels/far.cc: it is only for TPUs" in text
    )
    # The kernels of an op that no library can have are not mentioned.
    why = "op 'Farther': defined in tensorflow/dtensor/cc/ops.cc: it is for distributed execution"
    assert f"{why}\n    needed by m.pb: node 'Farther'" in text
    assert len(raised.value.problems) == 2
    assert "no CPU kernel" not in text
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
        ("tensorflow/core/kernels/data/multi_device_iterator_ops.cc", False),
    ],
)
def test_buildable(file: str, can: bool) -> None:
    assert (buildable.why_not(file, known.release()) == "") == can
