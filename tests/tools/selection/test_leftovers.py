"""Tests of finding leftovers from training, on small graphs; tests/zoo has real ones."""

import re
from collections.abc import Mapping

import node_lines
import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_lines import END, MANY, chain, each

from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import Function, Model
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.leftovers import leftovers


class _Facts:
    """Ops named Write… have side effects, ops named Is… return a bool."""

    def has_side_effects(self, name: str) -> bool:
        return name.startswith("Write")

    def returns_bool(self, name: str) -> bool:
        return name.startswith("Is")


def _found(
    text: str, outputs: str = "", functions: Mapping[str, tuple[str, tuple[str, ...]]] | None = None
) -> dict[str, str]:
    uses = node_lines.nodes(text)
    for name, (body, _) in (functions or {}).items():
        uses += node_lines.nodes(body, name)
    returned = {
        name: Function(returned={f"r{i}": node for i, node in enumerate(returns)})
        for name, (_, returns) in (functions or {}).items()
    }
    model = Model(
        "m", lambda: "", "graphdef", tuple(uses), returned, outputs=frozenset(outputs.split())
    )
    found = leftovers(model, uses, leftover_kinds.load(known.release()), _Facts())
    return {f"{f}/{n}" if f else n: kind.id for (f, n), kind in found.items()}


_ASSERTED = """
x Placeholder
limit Const
below IsLess x limit
text Const
check Assert below text
y Relu x ^check
"""


def test_an_assert_and_its_condition() -> None:
    expected = dict.fromkeys(("limit", "below", "text", "check"), "asserts")
    assert _found(_ASSERTED) == expected
    assert _found(_ASSERTED, outputs="y") == expected


def test_inputs_of_an_output_are_no_leftovers() -> None:
    assert _found(_ASSERTED + "z Cast below") == {"text": "asserts", "check": "asserts"}
    assert _found(_ASSERTED, outputs="y below") == {"text": "asserts", "check": "asserts"}


def test_a_guarded_assert() -> None:
    branches = {"T": ("n NoOp", ()), "F": ("t Const\ncheck Assert c t", ())}
    text = "x Placeholder\nok IsLess x\nif If>F ok x\ngate Identity? if\ny Relu x ^gate"
    found = _found(text, functions=branches)
    assert found == dict.fromkeys(("ok", "if", "gate", "F/t", "F/check"), "asserts")
    with_effect = {**branches, "F": (branches["F"][0] + "\nw WriteFile t", ())}
    assert set(_found(text, functions=with_effect)) == {"F/check"}


_SUMMARY = """
x Placeholder
p Softmax x
tag Const
s HistogramSummary tag p
"""


def test_an_output_that_only_a_summary_reads() -> None:
    assert _found(_SUMMARY) == {"tag": "summaries", "s": "summaries"}
    assert _found(_SUMMARY, outputs="p") == {"tag": "summaries", "s": "summaries"}
    known = _found(_SUMMARY + "y Relu x", outputs="y")
    assert known == dict.fromkeys(("p", "tag", "s"), "summaries")


_TRAINED = """
x Placeholder
v VariableV2
y Relu x v
gradient ReluGrad y v
rate Const
step ApplyGradientDescent v rate gradient
group NoOp ^step
"""


def test_a_training_step() -> None:
    whole = ("gradient", "rate", "step", "group")
    assert _found(_TRAINED, outputs="y") == dict.fromkeys(whole, "training")
    # A program could fetch the gradient from a GraphDef.
    assert _found(_TRAINED) == dict.fromkeys(("rate", "step", "group"), "training")


@pytest.mark.parametrize(
    "dependent",
    ["z Relu x ^step", "z Relu x ^group", "z WriteFile x ^group", "z Identity y ^group"],
)
def test_a_step_with_dependent_outputs_is_no_leftover(dependent: str) -> None:
    assert "step" not in _found(f"{_TRAINED}{dependent}", outputs="y z")
    assert "step" not in _found(f"{_TRAINED}{dependent}")


def test_a_step_that_is_an_output_is_no_leftover() -> None:
    assert _found(_TRAINED, outputs="y group") == {}


def test_values_of_variables() -> None:
    text = """
v VariableV2
zeros Const
init Assign v zeros
file Const
read RestoreV2 file
restore Assign v read
fed Placeholder
feed Assign v fed
"""
    assert _found(text) == {
        "zeros": "initializing", "init": "initializing",
        "file": "restoring", "read": "restoring", "restore": "restoring",
    }  # fmt: skip


def test_a_queue_that_an_output_reads_is_no_leftover() -> None:
    text = "q FIFOQueueV2\nfile Const\ne QueueEnqueueV2 q file\nother Placeholder\ny Relu {}"
    assert _found(text.format("q"), outputs="y") == {"other": "unused"}
    unread = _found(text.format("other"), outputs="y")
    assert unread == dict.fromkeys(("q", "file", "e"), "input queues")


def test_functions_that_only_leftovers_call() -> None:
    save = {"S": ("t Const\ns SaveV2 t", ()), "G": ("r Relu a", ("r",))}
    text = "x Placeholder\nsave Call>S x\ny Call>G x"
    assert _found(text, "y", save) == {"save": "saving", "S/t": "saving", "S/s": "saving"}
    assert _found(text, "y save", save) == {}
    # A function may be called for its side effects.
    assert _found("y Call>S", "y", save) == {}


def test_loops() -> None:
    assert _found("a Merge b\nb NextIteration a\nc Assert a") == {"c": "asserts"}
    assert _found("s SaveV2 ^b\na NoOp ^s ^b\nb NoOp ^a\nw WriteFile ^b") == {}


def test_control_dependents_of_saving() -> None:
    saving = dict.fromkeys(("name", "save", "copy"), "saving")
    text = "name Const\nsave SaveV2 name\ncopy Identity name ^save\n"
    assert _found(text) == saving
    # A node with control dependents that are all leftovers of another kind is a leftover.
    check = "check Assert never ^copy\nnever Const"
    assert _found(text + check) == {**saving, "check": "asserts", "never": "asserts"}
    # An Identity of something else may be an output with the saving as side effect.
    other = "other Const\ny Identity other ^save"
    assert _found(text + other) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (chain("Relu", "x") + each(f"r# Relu {END}\na# Assert r#"), MANY),
        (chain("Relu", "k") + each(f"r# Relu {END}\na# Assert r#"), 3 * MANY + 1),
        (chain("Relu", "k") + each(f"a# Assign v# {END}"), 2 * MANY + 1),
        (chain("MergeSummary", "k"), MANY + 1),
        (each("a# Assign v x") + each(f"n# NoOp {' '.join(f'^a{i}' for i in range(9))}"), 2 * MANY),
        (each("a# SaveV2 x ^w") + "c0 NoOp " + each("^a#").replace("\n", " ") + "\n"
         + "".join(f"c{i} NoOp ^c{i - 1}\n" for i in range(1, MANY)) + f"w WriteFile x ^{END}", 0),
        (each("e# QueueEnqueueV2 q x") + "d QueueDequeueV2 q\ny Relu d", 0),
        (each("a# Assert x\nb# Identity x ^a#\ng# Identity? m\nw# Relu x ^g#")
         + "m Merge " + each("b#").replace("\n", " "), MANY),
    ],
    ids=["asserts", "constants", "assigns", "summaries", "groups", "needed", "queues", "gates"],
)  # fmt: skip
def test_many_nodes(text: str, found: int) -> None:
    assert len(_found(text)) == found


@pytest.mark.parametrize(("op", "found"), [("Relu", 1), ("Assert", 2 * MANY + 2)])
def test_many_functions(op: str, found: int) -> None:
    functions = {f"F{i}": (f"n Call>F{i + 1} a", ("n",)) for i in range(MANY)}
    functions[f"F{MANY}"] = (f"n {op} a", ())
    text = each("c# Call>F0 x") + "other Assert x"
    assert list(_found(text, "y", functions).values()).count("asserts") == found


def test_an_unused_node_before_a_needed_one_keeps_its_inputs() -> None:
    # `late` is not an output, but it runs after `save`, which is needed, and so `check` must not go.
    text = "y Relu\nsave SaveV2 ^before\nlate Relu ^save\nbefore Relu check\ncheck Assert"
    assert not _found(text, "y").keys() & {"save", "before", "check"}
    # Without the control edge `before` is a leftover, and `check` with it.
    assert _found(text.replace(" ^before", ""), "y").keys() >= {"before", "check"}


_OPS = ["Relu", "Const", "Placeholder", "Assert", "MergeSummary", "SaveV2", "RestoreV2", "Assign",
        "ApplyAdam", "NoOp", "Identity", "Identity?", "Merge?", "WriteFile", "IsNan", "QueueEnqueueV2",
        "QueueDequeueV2"]  # fmt: skip
_NAMES = st.sampled_from([f"n{i}" for i in range(12)])


@given(
    st.lists(st.tuples(st.sampled_from(_OPS), st.lists(_NAMES), st.lists(_NAMES)), max_size=12),
    st.frozensets(_NAMES, max_size=2),
)
def test_needed_nodes_read_no_leftovers(
    rows: list[tuple[str, list[str], list[str]]], outputs: frozenset[str]
) -> None:
    lines = [
        " ".join([f"n{i}", op, *values, *(f"^{name}" for name in controls)])
        for i, (op, values, controls) in enumerate(rows)
    ]
    found = _found("\n".join(lines), " ".join(outputs))
    assert not outputs & found.keys()
    for use in node_lines.nodes("\n".join(lines)):
        if use.node not in found:
            assert not found.keys() & {t for t in use.inputs if not t.startswith("^")}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "missing required field `kinds`"),
        ({"kinds": 3}, "Expected `array`, got `int` - at `$.kinds`"),
        (
            {"kinds": [{"id": "x"}], "readers": []},
            "missing required field `sinks` - at `$.kinds[0]`",
        ),
    ],
)
def test_invalid_data(document: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=f"f.yaml: .*{re.escape(message)}"):
        leftover_kinds.parse(document, "f.yaml")
