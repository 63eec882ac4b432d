"""Tests the models of the runtime rules in full TensorFlow: the rules contain the ops that its runtime adds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runtime_rules import full_tensorflow, rule_models
from runtime_rules.rule_models import MODELS, RuleModel
from tfcarve.releases import known
from tfcarve.selection.runtime_rules import Rule, load

_RULES = {rule.id: rule for rule in load(known.release())}
_MODELS = pytest.mark.parametrize("model", MODELS.values(), ids=lambda model: model.rule)

# Ops that a pass looks up, or creates and prunes, or creates in a function or a kernel: they are not in the final graph,
# but runs in carved libraries need them.
_NOT_IN_FINAL_GRAPH = {
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
    ops = full_tensorflow.ops_of(graph)
    return [rule for rule in _RULES.values() if not rule.when or rule.when & ops]


def test_each_rule_has_a_model() -> None:
    assert {model.rule for model in MODELS.values()} == _RULES.keys()


@_MODELS
def test_model_needs_no_other_conditional_rule(model: RuleModel) -> None:
    rules = _rules_of(model.make())
    assert {rule.id for rule in rules if rule.when} == {model.rule} & {
        rule.id for rule in _RULES.values() if rule.when
    }
    assert _RULES[model.rule] in rules


@_MODELS
def test_no_model_contains_the_op_that_another_one_lacks(model: RuleModel) -> None:
    op = re.search(r"'(\w+)'", model.error)
    named = set().union(*(full_tensorflow.ops_of(other.make()) for other in MODELS.values()))
    assert op is None or op.group(1) in set(_RULES[model.rule].ops) - named


def test_symbolic_gradient_is_executed() -> None:
    model = MODELS["gradient"]
    assert "SymbolicGradient" in full_tensorflow.run(model.make(), model.fed)[1]


def test_partial_run_in_full_tensorflow() -> None:
    (model,) = (model for model in MODELS.values() if model.is_partial)
    assert full_tensorflow.partial_run(model.make(), model.fed) == -(model.fed**2)


@_MODELS
def test_executed_ops_are_in_the_model_or_in_its_rules(model: RuleModel) -> None:
    graph = rule_models.with_constants(model.make())
    output, running = full_tensorflow.run(graph, model.fed)
    assert np.all(output != 0), "zeros would hide a wrong output"
    added = running - full_tensorflow.ops_of(graph)
    assert added <= {op for rule in _rules_of(graph) for op in rule.ops}
    assert {"_Arg", "_Retval"} <= added


@_MODELS
def test_each_op_of_a_rule_is_added(model: RuleModel) -> None:
    graph = rule_models.with_constants(model.make())
    _, running = full_tensorflow.run(graph, model.fed)
    hidden = _NOT_IN_FINAL_GRAPH.get(model.rule, set())
    assert set(_RULES[model.rule].ops) - full_tensorflow.ops_of(model.make()) - running <= hidden


def test_sums_in_loops_of_tensorflow_1_use_addn() -> None:
    graph = rule_models.accumulated_in_loop()
    output, running = full_tensorflow.run(graph, np.array(1.5, np.float32))
    assert output == -3
    assert running - full_tensorflow.ops_of(graph) - {"_Arg", "_Retval"} == {"AddN"}
    assert "AddN" in _RULES["accumulate-n"].ops


@pytest.mark.parametrize("make", [model.make for model in MODELS.values()])
def test_models_are_deterministic(make: Callable[[], Any]) -> None:
    one, other = (make().SerializeToString(deterministic=True) for _ in range(2))
    assert one == other
