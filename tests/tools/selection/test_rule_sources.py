"""Checks the runtime rules against TensorFlow's sources: their places exist, and no rule is missing."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest
import trees

from tfcarve.build_files.core import core_sources
from tfcarve.build_files.tree import BuildTree
from tfcarve.releases import known
from tfcarve.selection.runtime_rules import Rule, load

_PATH = re.compile(r"tensorflow/[\w/.]+\.cc")
# `path.cc (NameOfAFunction, Class::AndAnother)`; other notes are sentences.
_PLACES = re.compile(r"(tensorflow/[\w/.]+\.cc) \(((?:[A-Z][\w:]+(?:, )?)+)\)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CREATES = re.compile(
    r"\b(?:NodeBuilder|NodeDefBuilder|set_op|UnaryOp|BinaryOp|\w+_op\s*=|op_type\s*=(?!=)|k\w+Op\[\]\s*=)([^;]*);"
)
_LITERAL = re.compile(r'"(_?[A-Z]\w*)"')
_DEFINED = re.compile(r'REGISTER_(?:SYSTEM_)?OP\(\s*"(\w+)"')

# Sources of the core that name ops, but add none in a session of a carved library. If ops are listed, the reason is
# for these only.
_ELSEWHERE = {
    "tensorflow/core/common_runtime/graph_execution_state.cc": "Identity: connections of tensors, in callables only",
    "tensorflow/core/common_runtime/lower_while_op.cc": "RefSwitch, RefIdentity: if Enter returned a reference, which it never does",
    "tensorflow/core/common_runtime/memory_types.cc": "for devices other than the CPU",
    "tensorflow/core/common_runtime/optimize_cross_host_control_deps.cc": "distributed functions",
    "tensorflow/core/common_runtime/quantize_training.cc": "a transform that programs call, not a session",
    "tensorflow/core/common_runtime/replicate_per_replica_nodes.cc": "composite devices: eager execution",
    "tensorflow/core/common_runtime/shape_refiner.cc": "inspects nodes, creates none",
    "tensorflow/core/framework/node_def_util.cc": "ChangeToNoOp, for grappler and TPUs",
    "tensorflow/core/framework/resource_var.cc": "a variable as a graph",
    "tensorflow/core/graph/graph_partition.cc": "edges and loops between devices",
    "tensorflow/core/kernels/initializable_lookup_table.cc": "a table as a graph",
    "tensorflow/core/nccl/collective_communicator.cc": "names of distributed reductions",
}


@cache
def _text(path: str) -> str:
    return _COMMENT.sub("", (trees.tensorflow() / path).read_text(errors="replace"))


@cache
def _defined_ops() -> frozenset[str]:
    folder = trees.tensorflow() / "tensorflow/core/ops"
    return frozenset(n for f in folder.glob("*.cc") for n in _DEFINED.findall(f.read_text()))


def _created_by_the_core() -> Iterator[tuple[str, str]]:
    """Yields (source, op) for each op of which a source of the core creates nodes."""
    for path in sorted(core_sources(BuildTree(trees.tensorflow()), known.release())):
        for statement in _CREATES.findall(_text(path)):
            for op in _LITERAL.findall(statement):
                if op in _defined_ops():
                    yield path, op


@pytest.mark.parametrize("rule", load(known.release()), ids=lambda rule: rule.id)
def test_source(rule: Rule) -> None:
    paths = _PATH.findall(rule.source)
    assert paths, rule.source
    text = "".join(map(_text, paths))
    for op in rule.ops:
        assert re.search(rf"""(["']){op}\1""", text), f"{op} is not in {paths}"


@pytest.mark.parametrize("rule", load(known.release()), ids=lambda rule: rule.id)
def test_functions_that_a_rule_names(rule: Rule) -> None:
    for path, names in _PLACES.findall(rule.source):
        for name in names.split(", "):
            assert re.search(rf"\b{name.rpartition('::')[2]}\(", _text(path)), f"{path}: {name}"


@pytest.mark.parametrize("rule", load(known.release()), ids=lambda rule: rule.id)
def test_ops_of_a_rule_exist(rule: Rule) -> None:
    assert rule.when <= _defined_ops()


def test_every_op_that_the_core_adds_has_a_rule() -> None:
    listed: dict[str, set[str]] = defaultdict(set)
    for rule in load(known.release()):
        for path in _PATH.findall(rule.source):
            listed[path].update(rule.ops)
    unlisted: dict[str, set[str]] = defaultdict(set)
    for path, op in _created_by_the_core():
        if op not in listed[path]:
            unlisted[path].add(op)
    assert sorted(unlisted) == sorted(_ELSEWHERE), "add a rule, or an entry to _ELSEWHERE"
    for path, ops in unlisted.items():
        named = set(_ELSEWHERE[path].partition(":")[0].split(", ")) & _defined_ops()
        assert not named or ops == named, (path, ops)


def test_no_grappler_remapper_fuses_ops() -> None:
    assert not [
        path
        for path in core_sources(BuildTree(trees.tensorflow()), known.release())
        if "/grappler/" in path
    ]
    text = _text("tensorflow/core/common_runtime/graph_execution_state.cc")
    assert re.search(r"::OptimizeGraph\([^{]*\{\s*#ifdef IS_MOBILE_PLATFORM\s*return errors", text)
    assert "IS_MOBILE_PLATFORM" in known.release().defines
