"""The models of the runtime rules in full TensorFlow: what its runtime adds to them is in their rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runtime_rules import rule_models, what_runs
from runtime_rules.rule_models import MODELS, RuleModel
from tfcarve.releases import known
from tfcarve.selection.runtime_rules import Rule, load

_RULES = {rule.id: rule for rule in load(known.release())}
_MODELS = pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.rule)

# What a rewriting pass looks up, or makes and prunes again, or makes inside of a function or of a
# kernel: not to be seen in the graph that is left. The runs in carved libraries need them all the same.
_UNSEEN = {
    "collective-reductions": {"Add", "Div", "Maximum", "Minimum", "Mul"},
    "feeds-of-partial-runs": {"_Recv"},
    "lowered-if": {"IdentityN"},
    "lowered-case": {"IdentityN"},
    "lowered-while": {"IdentityN"},
    "symbolic-gradient": {"AddN", "ReadVariableOp", "ZerosLike"},
    "accumulate-n": {"AddN"},
    "fetches-of-constant-folding": {"_Send"},
    "source-and-sink": {"NoOp"},
}


def _rules_of(graph: Any) -> list[Rule]:
    ops = what_runs.ops_of(graph)
    return [rule for rule in _RULES.values() if not rule.when or rule.when & ops]


def test_each_rule_has_a_model() -> None:
    assert {model.rule for model in MODELS.values()} == _RULES.keys()


@_MODELS
def test_model_asks_for_no_other_conditional_rule(model: RuleModel) -> None:
    rules = _rules_of(model.maker())
    assert {rule.id for rule in rules if rule.when} == {model.rule} & {
        rule.id for rule in _RULES.values() if rule.when
    }
    assert _RULES[model.rule] in rules


@_MODELS
def test_what_a_model_fails_for_is_named_by_none(model: RuleModel) -> None:
    op = re.search(r"'(\w+)'", model.error)
    named = set().union(*(what_runs.ops_of(other.maker()) for other in MODELS.values()))
    assert op is None or op.group(1) in set(_RULES[model.rule].ops) - named


def test_a_gradient_is_an_op_that_runs() -> None:
    model = MODELS["gradient"]
    assert "SymbolicGradient" in what_runs.run(model.maker(), model.fed)[1]


def test_partial_runs_are_fed_in_parts_in_full_tensorflow_too() -> None:
    (model,) = (model for model in MODELS.values() if model.in_parts)
    assert what_runs.in_parts(model.maker(), model.fed) == -(model.fed**2)


@_MODELS
def test_what_runs_is_in_the_model_or_in_its_rules(model: RuleModel) -> None:
    graph = rule_models.with_constants(model.maker())
    output, running = what_runs.run(graph, model.fed)
    assert np.all(output != 0), "a wrong answer would show"
    added = running - what_runs.ops_of(graph)
    assert added <= {op for rule in _rules_of(graph) for op in rule.ops}
    assert {"_Arg", "_Retval"} <= added


@_MODELS
def test_each_op_of_a_rule_is_added(model: RuleModel) -> None:
    graph = rule_models.with_constants(model.maker())
    _, running = what_runs.run(graph, model.fed)
    unseen = _UNSEEN.get(model.rule, set())
    assert set(_RULES[model.rule].ops) - what_runs.ops_of(model.maker()) - running <= unseen


def test_sums_in_loops_of_tensorflow_1_are_of_addn() -> None:
    graph = rule_models.accumulated_in_loop()
    output, running = what_runs.run(graph, np.array(1.5, np.float32))
    assert output == -3
    assert running - what_runs.ops_of(graph) - {"_Arg", "_Retval"} == {"AddN"}
    assert "AddN" in _RULES["accumulate-n"].ops


@pytest.mark.parametrize("maker", [model.maker for model in MODELS.values()])
def test_same_model_each_time(maker: Callable[[], Any]) -> None:
    one, other = (maker().SerializeToString(deterministic=True) for _ in range(2))
    assert one == other
