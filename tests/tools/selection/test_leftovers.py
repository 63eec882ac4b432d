"""Tests of what is left over from training, on graphs of a few nodes; tests/zoo has real ones."""

from collections.abc import Mapping

import node_lines
import pytest

from tfcarve.errors import BadInput
from tfcarve.models.node_use import Model
from tfcarve.selection import leftover_kinds
from tfcarve.selection.leftovers import leftovers


class _Facts:
    """Ops by how they are called here: Write… acts, Is… gives a truth value."""

    def acts(self, name: str) -> bool:
        return name.startswith("Write")

    def gives_truth(self, name: str) -> bool:
        return name.startswith("Is")


def _found(
    text: str, outputs: str = "", functions: Mapping[str, tuple[str, tuple[str, ...]]] | None = None
) -> dict[str, str]:
    uses = node_lines.nodes(text)
    for name, (body, _) in (functions or {}).items():
        uses += node_lines.nodes(body, name)
    returned = {name: returns for name, (_, returns) in (functions or {}).items()}
    model = Model(
        "m", lambda: "", "graphdef", tuple(uses), returned, outputs=frozenset(outputs.split())
    )
    found = leftovers(model, uses, leftover_kinds.load(), _Facts())
    return {f"{f}/{n}" if f else n: kind.id for (f, n), kind in found.items()}


_ASSERTED = """
x Placeholder
limit Const
below IsLess x limit
text Const
check Assert below text
y Relu x ^check
"""


def test_an_assert_with_what_it_tests() -> None:
    expected = dict.fromkeys(("limit", "below", "text", "check"), "asserts")
    assert _found(_ASSERTED) == expected
    assert _found(_ASSERTED, outputs="y") == expected


def test_what_an_output_reads_is_none() -> None:
    assert _found(_ASSERTED + "z Cast below") == {"text": "asserts", "check": "asserts"}
    assert _found(_ASSERTED, outputs="y below") == {"text": "asserts", "check": "asserts"}


def test_a_guarded_assert() -> None:
    branches = {"T": ("n NoOp", ()), "F": ("t Const\ncheck Assert c t", ())}
    text = "x Placeholder\nok IsLess x\nif If>F ok x\ngate Identity? if\ny Relu x ^gate"
    found = _found(text, functions=branches)
    assert found == dict.fromkeys(("ok", "if", "gate", "F/t", "F/check"), "asserts")
    acting = {**branches, "F": (branches["F"][0] + "\nw WriteFile t", ())}
    assert set(_found(text, functions=acting)) == {"F/check"}


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
    # A GraphDef could be made to give the gradient.
    assert _found(_TRAINED) == dict.fromkeys(("rate", "step", "group"), "training")


@pytest.mark.parametrize(
    "waiting", ["z Relu x ^step", "z Relu x ^group", "z WriteFile x ^group", "z Identity y ^group"]
)
def test_a_step_that_an_output_waits_for_is_none(waiting: str) -> None:
    assert "step" not in _found(f"{_TRAINED}{waiting}", outputs="y z")
    assert "step" not in _found(f"{_TRAINED}{waiting}")


def test_a_step_that_is_an_output_is_none() -> None:
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


def test_a_queue_that_an_output_reads_is_none() -> None:
    text = "q FIFOQueueV2\nfile Const\ne QueueEnqueueV2 q file\nother Placeholder\ny Relu {}"
    assert _found(text.format("q"), outputs="y") == {"other": "unused"}
    unread = _found(text.format("other"), outputs="y")
    assert unread == dict.fromkeys(("q", "file", "e"), "input queues")


def test_functions_that_only_leftovers_call() -> None:
    save = {"S": ("t Const\ns SaveV2 t", ()), "G": ("r Relu a", ("r",))}
    text = "x Placeholder\nsave Call>S x\ny Call>G x"
    assert _found(text, "y", save) == {"save": "saving", "S/t": "saving", "S/s": "saving"}
    assert _found(text, "y save", save) == {}
    # Inside a function what outlasts a step may be what it is called for.
    assert _found("y Call>S", "y", save) == {}


def test_nothing_to_find_in_a_loop() -> None:
    assert _found("a Merge b\nb NextIteration a\nc Assert a") == {"c": "asserts"}


@pytest.mark.parametrize("document", [{}, {"kinds": [{"id": "x"}], "readers": []}, {"kinds": 3}])
def test_wrong_data(document: object) -> None:
    with pytest.raises(BadInput, match="f.yaml: not as its head says"):
        leftover_kinds.parse(document, "f.yaml")
