"""Each runtime rule, held against TensorFlow's sources: what it names is there, and nothing is left out."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest
import trees

from tfcarve.build_files.core import core_sources
from tfcarve.build_files.tree import BuildTree
from tfcarve.commands.common import default_defines
from tfcarve.releases import known
from tfcarve.selection.runtime_rules import Rule, load

_PATH = re.compile(r"tensorflow/[\w/.]+\.cc")
# `path.cc (NameOfAFunction, Class::AndAnother)`; other notes are sentences.
_PLACES = re.compile(r"(tensorflow/[\w/.]+\.cc) \(((?:[A-Z][\w:]+(?:, )?)+)\)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MAKES = re.compile(
    r"\b(?:NodeBuilder|NodeDefBuilder|set_op|UnaryOp|BinaryOp|\w+_op\s*=|op_type\s*=(?!=)|k\w+Op\[\]\s*=)([^;]*);"
)
_LITERAL = re.compile(r'"(_?[A-Z]\w*)"')
_DEFINED = re.compile(r'REGISTER_(?:SYSTEM_)?OP\(\s*"(\w+)"')

# Sources of the core that name ops, but add none in the session that a carved library runs. Where
# ops are told, the reason is for those alone.
_ELSEWHERE = {
    "tensorflow/core/common_runtime/graph_execution_state.cc": "Identity: connections of tensors, in callables alone",
    "tensorflow/core/common_runtime/lower_while_op.cc": "RefSwitch, RefIdentity: where Enter gives a reference, which it never does",
    "tensorflow/core/common_runtime/memory_types.cc": "for devices other than the CPU",
    "tensorflow/core/common_runtime/optimize_cross_host_control_deps.cc": "functions over several hosts",
    "tensorflow/core/common_runtime/quantize_training.cc": "a transform that programs call, no session",
    "tensorflow/core/common_runtime/replicate_per_replica_nodes.cc": "composite devices: eager execution",
    "tensorflow/core/common_runtime/shape_refiner.cc": "looks at nodes, makes none",
    "tensorflow/core/framework/node_def_util.cc": "ChangeToNoOp, for grappler and TPUs",
    "tensorflow/core/framework/resource_var.cc": "a variable written down as a graph",
    "tensorflow/core/graph/graph_partition.cc": "edges and loops that cross to another device",
    "tensorflow/core/kernels/initializable_lookup_table.cc": "a table written down as a graph",
    "tensorflow/core/nccl/collective_communicator.cc": "names of reductions over several hosts",
}


@cache
def _text(path: str) -> str:
    return _COMMENT.sub("", (trees.tensorflow() / path).read_text(errors="replace"))


@cache
def _defined_ops() -> frozenset[str]:
    folder = trees.tensorflow() / "tensorflow/core/ops"
    return frozenset(n for f in folder.glob("*.cc") for n in _DEFINED.findall(f.read_text()))


def _made_in_the_core() -> Iterator[tuple[str, str]]:
    """Yields (source, op) for each op that a source of the core makes nodes of."""
    for path in sorted(core_sources(BuildTree(trees.tensorflow()), known.release())):
        for statement in _MAKES.findall(_text(path)):
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
def test_ops_that_a_rule_waits_for(rule: Rule) -> None:
    assert rule.when <= _defined_ops()


def test_what_the_core_makes_stands_in_a_rule() -> None:
    told: dict[str, set[str]] = defaultdict(set)
    for rule in load(known.release()):
        for path in _PATH.findall(rule.source):
            told[path].update(rule.ops)
    untold: dict[str, set[str]] = defaultdict(set)
    for path, op in _made_in_the_core():
        if op not in told[path]:
            untold[path].add(op)
    assert sorted(untold) == sorted(_ELSEWHERE), "add a rule, or say where else it is"
    for path, ops in untold.items():
        named = set(_ELSEWHERE[path].partition(":")[0].split(", ")) & _defined_ops()
        assert not named or ops == named, (path, ops)


def test_there_is_no_grappler_so_no_remapper_fuses_ops() -> None:
    assert not [
        path
        for path in core_sources(BuildTree(trees.tensorflow()), known.release())
        if "/grappler/" in path
    ]
    text = _text("tensorflow/core/common_runtime/graph_execution_state.cc")
    assert re.search(r"::OptimizeGraph\([^{]*\{\s*#ifdef IS_MOBILE_PLATFORM\s*return errors", text)
    assert "IS_MOBILE_PLATFORM" in default_defines()
