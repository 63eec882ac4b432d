"""Selection of what runs the graphs of a library: plans, or TensorFlow's session."""

from __future__ import annotations

import os
import re
from pathlib import Path

import indexes
import pytest
import trees

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Function, Model, NodeUse, RequestedOp
from tfcarve.op_definition import Argument, Attr
from tfcarve.registry.index import KernelIndex, OpDefinition
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds, runtime
from tfcarve.selection.resolve import RuntimeRequest, resolve
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import Selection

_RELEASE = known.release()
_OPS = runtime.load(_RELEASE)
_SESSION_ONLY = sorted(op for row in _OPS.session for op in row.ops)
_RULE = Rule(id="always", ops=("NoOp",), source="graph.cc", why="each graph has one")


def _op(name: str, **fields: object) -> OpDefinition:
    return OpDefinition(name, f"ops/{name}.cc", 1, **fields)  # type: ignore[arg-type]


_DEFINED = (
    *map(_op, ("Relu", "NoOp", "Merge", *_SESSION_ONLY)),
    _op("Makes", outputs=(Argument("ref", type="float32", ref=True),)),
    _op("Maps", attrs={"f": Attr("func")}),
    _op("MapsAll", attrs={"f": Attr("list(func)")}),
    _op("If", attrs={"then_branch": Attr("func"), "else_branch": Attr("func")}),
    _op("While", attrs={"cond": Attr("func"), "body": Attr("func")}),
)
_INDEX = KernelIndex(
    indexes.INDEX.tensorflow,
    tuple(indexes.registration(op.name, f"{op.name}Kernel") for op in _DEFINED),
    _DEFINED,
)


_BRANCH = "branch"


def _node(index: int, op: str, function: str = "") -> NodeUse:
    attrs = {
        name: AttrValue(attr.type, _BRANCH if attr.type == "func" else (_BRANCH,))
        for defined in _DEFINED
        if defined.name == op
        for name, attr in defined.attrs.items()
    }
    return NodeUse("m.pb", function, f"n{index}", op, "", attrs)


def _model(*ops: str, function: str = "", training: bool = False) -> Model:
    """The nodes n0, n1, … in the graph, or in a function that the node n99 calls."""
    nodes = tuple(_node(i, op, function) for i, op in enumerate(ops))
    if function:
        nodes = (_node(99, "If"), *nodes)
    functions = {_BRANCH: Function()}
    return Model("m.pb", lambda: "00", "graphdef", nodes, functions, training=training)


def _select(model: Model, request: RuntimeRequest = "auto") -> Selection:
    kinds = leftover_kinds.load(_RELEASE)
    return resolve([model], _INDEX, _RELEASE, (_RULE,), kinds, request).selection


@pytest.mark.parametrize("ops", [("Relu",), ("Relu", "If"), ("While",)])
def test_a_plan_runs_them(ops: tuple[str, ...]) -> None:
    for request in ("auto", "plan"):
        found = _select(_model(*ops), request)
        assert (found.runtime, found.session_reasons) == ("plan", ())
        # A plan adds no ops.
        assert [op.name for op in found.ops] == sorted(ops)
        assert found.added_by_runtime == ()


@pytest.mark.parametrize("op", [*_SESSION_ONLY, "Makes", "Maps", "MapsAll"])
@pytest.mark.parametrize("function", ["", _BRANCH])
def test_only_a_session_runs_it(op: str, function: str) -> None:
    found = _select(_model("Relu", op, function=function))
    (reason,) = found.session_reasons
    assert (found.runtime, reason.op) == ("session", op)
    assert [need.node for need in reason.needed_by] == ["n1"]
    assert reason.why
    assert [added.op for added in found.added_by_runtime] == ["NoOp"]
    with pytest.raises(CheckFailed, match=rf"(?s)a plan cannot run the models:.*'{op}'.*node 'n1'"):
        _select(_model("Relu", op, function=function), "plan")


def test_inputs_and_outputs_of_reference_types() -> None:
    argument = Argument("x", type="float32")
    reference = Argument("x", type="float32", ref=True)
    for sides in ({"inputs": (reference,)}, {"outputs": (argument, reference)}):
        assert "reference types" in _OPS.why(_op("Any", **sides))
    assert _OPS.why(_op("Any", inputs=(argument,), outputs=(argument,))) == ""


def test_all_ops_of_a_source_can_need_a_session() -> None:
    for row in _OPS.session:
        for file in row.files:
            assert _OPS.why(OpDefinition("Any", file, 1)) == row.why
            assert (trees.tensorflow(_RELEASE.version) / file).is_file()
    assert _OPS.why(OpDefinition("Any", "tensorflow/core/ops/nn_ops.cc", 1)) == ""


@pytest.mark.parametrize("op", _SESSION_ONLY)
def test_a_flex_delegate_refuses_it(op: str) -> None:
    assert _select(_model("Relu"), "flex").runtime == "flex"  # the control
    with pytest.raises(
        CheckFailed, match=rf"(?s)a Flex delegate cannot run the models:.*'{op}'.*node 'n1'"
    ):
        _select(_model("Relu", op), "flex")


def test_a_model_that_trains_needs_a_session() -> None:
    found = _select(_model("Relu", training=True))
    assert found.runtime == "session"
    assert "trains" in found.session_reasons[0].why


def test_an_ops_list_can_require_a_session() -> None:
    def listed(op: str) -> Model:
        return Model("l.yaml", lambda: "00", "ops-list", (), requests=(RequestedOp(op, None, ()),))

    assert _select(listed("Relu")).runtime == "plan"
    assert _select(listed("Maps")).runtime == "session"


def test_it_can_be_requested() -> None:
    found = _select(_model("Relu"), "session")
    assert found.runtime == "session"
    assert [reason.why for reason in found.session_reasons] == ["it was requested"]
    assert _select(_model("Maps"), "flex").runtime == "flex"


def test_the_ops_of_the_table_exist() -> None:
    """The control: an op of the table that TensorFlow does not have would never match."""
    assert (_OPS.own | _OPS.control_flow).isdisjoint(_SESSION_ONLY)
    assert _OPS.own.isdisjoint(_OPS.control_flow)
    assert len(set(_SESSION_ONLY)) == len(_SESSION_ONLY)


def test_the_ops_that_plans_run_without_kernels_are_those_of_the_library() -> None:
    file = Path(os.environ["RUNFILES_DIR"], os.environ["PLAN_ACTIONS"])
    (table,) = re.findall(r"kOwnOps\[\] = \{(.*?)\n\};", file.read_text(), re.DOTALL)
    actions = dict(re.findall(r'\{"(\w+)", Action::(\w+)\}', table))
    control = {"kLoop", "kCall", "kIf", "kCase", "kWhile"}
    assert actions.keys() == _OPS.own | _OPS.control_flow
    assert {op for op, action in actions.items() if action in control} == _OPS.control_flow


def test_a_library_has_control_flow_only_for_models_with_functions_or_loops() -> None:
    assert not _select(_model("Relu", "Merge")).control_flow
    assert not _select(_model("Relu", "If"), "session").control_flow
    for op in ("If", "While"):
        assert _select(_model("Relu", op)).control_flow
    # A function that is called by its name, with and without nodes.
    body = (_node(0, _BRANCH), _node(1, "Relu", _BRANCH))
    for nodes in (body, body[:1]):
        model = Model("m.pb", lambda: "00", "graphdef", nodes, {_BRANCH: Function()})
        assert _select(model).control_flow
    # The control: a function that no node calls.
    unused = Model("m.pb", lambda: "00", "graphdef", (_node(0, "Relu"),), {_BRANCH: Function()})
    assert not _select(unused).control_flow


def test_a_plan_needs_no_kernels_for_control_flow() -> None:
    model = _model("Relu", "If", "While", "Merge")
    assert [kernel.op for kernel in _select(model).kernels] == ["Relu"]
    kernels = {kernel.op for kernel in _select(model, "session").kernels}
    assert kernels >= {"If", "Merge", "Relu", "While"}
