"""Tests of selections."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from indexes import KERNELS, OPS, index_file

from tfcarve.errors import CheckFailed
from tfcarve.models.node_use import AttrValue, Function, Model, NodeUse, RequestedOp
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.need import Need
from tfcarve.selection.resolve import device_type, resolve
from tfcarve.selection.runtime_rules import Rule
from tfcarve.selection.selection import RuntimeOp, Selection

_FLOAT = {"T": AttrValue("type", "float32")}


def _node(
    name: str,
    op: str,
    attrs: dict[str, AttrValue] | None = None,
    function: str = "",
    device: str = "",
    model: str = "m.pb",
) -> NodeUse:
    return NodeUse(model, function, name, op, device, attrs or {})


def _model(
    *nodes: NodeUse,
    path: str = "m.pb",
    functions: Iterable[str] = (),
    requests: Sequence[RequestedOp] = (),
) -> Model:
    return Model(
        path, lambda: "00", "graphdef", nodes, dict.fromkeys(functions, Function()), tuple(requests)
    )


def _rule(
    name: str, *ops: str, when: Iterable[str] = (), like: str = "", replaced: bool = False
) -> Rule:
    return Rule(
        id=name,
        ops=ops,
        when=frozenset(when),
        like=like,
        replaced=replaced,
        source="somewhere.cc",
        why="why not",
    )


def _select(*models: Model, rules: Sequence[Rule] = ()) -> Selection:
    return resolve(
        models,
        index_file(),
        known.release(),
        rules,
        leftover_kinds.load(known.release()),
        "session",
    ).selection


def _kernels(selection: Selection) -> list[str]:
    return [k.clazz for k in selection.kernels]


def test_selection() -> None:
    selection = _select(_model(_node("b", "Relu"), _node("a", "Relu", _FLOAT), _node("c", "Const")))
    assert [(o.name, o.file) for o in selection.ops] == [("Const", OPS), ("Relu", OPS)]
    assert _kernels(selection) == ["ConstantOp", "ReluOp<float>"]
    relu = selection.kernels[1]
    assert relu.constraints == {"T": ("float32",)}
    assert relu.needed_by == (Need("m.pb", "a"), Need("m.pb", "b"))
    assert selection.files == (KERNELS + "const_op.cc", KERNELS + "relu_op.cc", OPS)
    assert selection.helpers == (KERNELS + "relu_helper.cc",)


def test_system_kernels_are_not_listed_but_their_file_is() -> None:
    selection = _select(_model(_node("n", "NoOp"), _node("a", "_Arg")))
    assert KERNELS + "function_ops.cc" in selection.files
    assert selection.classes_by_file()[KERNELS + "function_ops.cc"] == ()
    assert selection.ops_by_file()[OPS] == ("_Arg",)


def test_types_of_one_class_are_merged() -> None:
    frame = {"frame_name": AttrValue("string", "loop")}
    selection = _select(
        _model(
            _node("a", "Enter", _FLOAT | frame),
            _node("b", "Enter", {"T": AttrValue("type", "float64")} | frame),
        )
    )
    (enter,) = selection.kernels
    assert enter.constraints == {"T": ("float32", "float64")}


def test_models_in_any_order() -> None:
    one = _model(_node("a", "Relu"), path="one")
    two = _model(_node("a", "Relu6", model="two"), _node("b", "Relu", model="two"), path="two")
    assert _select(one, two) == _select(two, one)
    assert [m.path for m in _select(two, one, one).models] == ["one", "two"]


# Function, op or function called, type.
_Row = tuple[str, str, str]
_ROWS = st.lists(
    st.tuples(
        st.sampled_from(["", "F", "G"]),
        st.sampled_from(["AddN", "Const", "Enter", "NoOp", "Relu", "Relu6", "Gone", "F", "G"]),
        st.sampled_from(["", "float32", "float64", "bool"]),
    ),
    max_size=8,
)


def _of_rows(path: str, rows: Sequence[_Row], reverse: bool = False) -> Model:
    nodes = [
        _node(f"n{i}", op, {"T": AttrValue("type", kind)} if kind else {}, function, model=path)
        for i, (function, op, kind) in enumerate(rows)
    ]
    return _model(*(nodes[::-1] if reverse else nodes), path=path, functions=("F", "G"))


def _outcome(*models: Model) -> Selection | set[str]:
    """Returns the selection, or everything that is missing."""
    try:
        return _select(*models, rules=[_rule("always", "NoOp")])
    except CheckFailed as error:
        return {problem.what for problem in error.problems}


def _needs(selection: Selection) -> set[object]:
    kernels = {(kernel.op, kernel.clazz) for kernel in selection.kernels}
    return {op.name for op in selection.ops} | kernels | {*selection.files, *selection.helpers}


@given(_ROWS, _ROWS)
def test_the_order_does_not_matter(one: list[_Row], two: list[_Row]) -> None:
    straight = _outcome(_of_rows("one", one), _of_rows("two", two))
    assert straight == _outcome(_of_rows("two", two, True), _of_rows("one", one, True))


@given(_ROWS, _ROWS)
def test_several_models_need_what_each_needs(one: list[_Row], two: list[_Row]) -> None:
    apart = [_outcome(_of_rows("one", one)), _outcome(_of_rows("two", two))]
    missing: set[str] = set().union(*(found for found in apart if isinstance(found, set)))
    together = _outcome(_of_rows("one", one), _of_rows("two", two))
    if isinstance(together, set):
        assert together == missing
    else:
        assert not missing
        needs = set().union(*(_needs(found) for found in apart if isinstance(found, Selection)))
        assert _needs(together) == needs


@given(_ROWS)
def test_reachable_nodes_have_ops_and_kernels(rows: list[_Row]) -> None:
    found = _outcome(_of_rows("one", rows))
    assume(isinstance(found, Selection))
    assert isinstance(found, Selection)
    reached, grows = {""}, True
    while grows:
        called = {op for function, op, _ in rows if function in reached} & {"F", "G"}
        grows = not called <= reached
        reached |= called
    for function, op, _ in rows:
        if function in reached and op not in ("F", "G"):
            assert op in {o.name for o in found.ops}
            assert op in {k.op for k in found.kernels}


def test_functions() -> None:
    model = _model(
        _node("call", "F"),
        _node(
            "branch", "Const", {"f": AttrValue("func", "G"), "l": AttrValue("list(func)", ("H",))}
        ),
        _node("in_f", "Relu", function="F"),
        _node("in_g", "Relu6", function="G"),
        _node("in_h", "NoOp", function="H"),
        _node("never", "Unheard", function="Uncalled"),
        functions=["F", "G", "H", "Uncalled"],
    )
    selection = _select(model)
    assert [o.name for o in selection.ops] == ["Const", "NoOp", "Relu", "Relu6"]
    assert selection.ops[2].needed_by == (Need("m.pb", "in_f", "F"),)


def test_label() -> None:
    assert _kernels(
        _select(_model(_node("a", "Relu", {"_kernel": AttrValue("string", "fast")})))
    ) == ["FastReluOp"]


@pytest.mark.parametrize(
    ("device", "kind"),
    [
        ("", ""),
        ("/device:GPU:0", "GPU"),
        ("/job:localhost/replica:0/task:0/device:CPU:0", "CPU"),
        ("/gpu:0", "GPU"),
        ("/cpu:0", "CPU"),
        ("/job:worker", ""),
    ],
)
def test_device_type(device: str, kind: str) -> None:
    assert device_type(device) == kind


def test_warning_about_another_device() -> None:
    model = _model(
        _node("a", "Relu", device="/device:GPU:0"), _node("b", "Relu", device="/device:GPU:0")
    )
    resolved = resolve(
        [model], index_file(), known.release(), [], leftover_kinds.load(known.release()), "session"
    )
    assert _kernels(resolved.selection) == ["ReluOp<float>"]
    assert resolved.warnings == (
        "m.pb: node 'a' is placed on /device:GPU:0: the library is for CPU, its CPU kernel is selected (and 1 more nodes)",
    )


def test_everything_that_is_missing_is_listed() -> None:
    half = {"T": AttrValue("type", "float16")}
    nodes = [_node(f"r{i}", "Reluu", function="") for i in range(5)]
    with pytest.raises(CheckFailed) as raised:
        _select(
            _model(*nodes, _node("h", "Relu", half), _node("k", "NoKernel")),
            _model(_node("z", "Zzz"), path="o.pb"),
        )
    text = str(raised.value)
    assert raised.value.exit_status == 1
    assert len(raised.value.problems) == 4
    for part in [
        "TensorFlow 9.8.7 cannot run the models: 4 missing:",
        "op 'Reluu' is unknown to TensorFlow 9.8.7\n    needed by m.pb: node 'r0'",
        "needed by 2 more nodes\n    did you mean Relu",
        "op 'Relu' (T=float16): no kernel for T=float16\n    needed by m.pb: node 'h'",
        "kernels exist for T in [float32]; T in [float64]; all types label 'fast'",
        "op 'NoKernel': no CPU kernel",
        "TensorFlow has no CPU kernel for it (a registration could not be evaluated: odd.cc:7)",
        "op 'Zzz' is unknown",
        "if it is a custom op, pass its source with --custom-op",
    ]:
        assert part in text


def test_many_unknown_ops_take_little_time() -> None:
    """Similar names are searched for the first hundred only: each search takes as long as a hundred nodes."""
    with pytest.raises(CheckFailed) as raised:
        _select(_model(*(_node(f"n{i}", f"Relu_{i:03}") for i in range(120))))
    hints = [problem.hint for problem in raised.value.problems]
    assert all(hint.startswith("did you mean Relu") for hint in hints[:100])
    assert hints[100:] == ["if it is a custom op, pass its source with --custom-op"] * 20


def test_runtime_rules() -> None:
    rules = [_rule("always", "_Arg"), _rule("loops", "Enter", "Gone", when=["While"])]
    plain = _select(_model(_node("a", "Relu")), rules=rules)
    assert plain.added_by_runtime == (RuntimeOp("_Arg", "always"),)
    assert [o.name for o in plain.ops] == ["Relu", "_Arg"]
    assert plain.ops[1].needed_by == ()


def test_runtime_rules_for_an_op() -> None:
    rules = [_rule("sums", "AddN", "Const", when=["AccumulateNV2"], like="T", replaced=True)]
    selection = _select(_model(_node("a", "AccumulateNV2", _FLOAT)), rules=rules)
    assert _kernels(selection) == ["AddNOp<float>", "ConstantOp"]


def test_ops_lists() -> None:
    def classes(*requests: RequestedOp) -> list[str]:
        return _kernels(_select(_model(requests=requests)))

    assert classes(RequestedOp("Relu", "")) == []
    assert classes(RequestedOp("Relu", "ReluOp< double >")) == ["ReluOp<double>"]
    assert classes(RequestedOp("Relu", None, ("float64",))) == ["ReluOp<double>"]
    assert classes(RequestedOp("Relu")) == ["ReluOp<double>", "ReluOp<float>"]
    assert classes(RequestedOp("Relu", "FastReluOp")) == ["FastReluOp"]
    assert classes(RequestedOp("NoOp")) == ["NoOp"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (RequestedOp("Reluu"), "op 'Reluu' is unknown"),
        (RequestedOp("Relu", "ReluOp<flout>"), "op 'Relu': no kernel class 'ReluOp<flout>'"),
        (RequestedOp("Relu6", None, ("bool",)), "op 'Relu6': no CPU kernel for bool"),
    ],
)
def test_ops_lists_with_missing_kernels(request_: RequestedOp, message: str) -> None:
    with pytest.raises(CheckFailed, match=message):
        _select(_model(requests=[request_]))
