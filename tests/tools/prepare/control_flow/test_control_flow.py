"""Every transform, applied to graphs with loops, conditions and nested frames: TensorFlow computes the same outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import calibrated
import numpy as np
import prepared
import programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prepared import Array
from programs import Condition, Loop, Program

import extent
from tfcarve.prepare import transforms
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.pipeline import pipeline, presets
from tfcarve.prepare.pipeline.transform_list import Step, parse

_EXAMPLES = extent.of(3, 300)
_TOLERANCE = 1e-4
# GraphDef.versions.producer is 21, that of TensorFlow 1.0.
_OLD_VERSIONS = b"\x22\x02\x08\x15"
# Transforms that change values by more: only shapes are compared, and that values are finite.
_LOSSY = frozenset(
    (
        "correct_biases",
        "freeze_requantization_ranges",
        "half_weights",
        "quantize_nodes",
        "quantize_placeholders",
        "quantize_weights",
        "round_weights",
    )
)


def _inner_node(graph: Graph) -> str:
    return next(node.name for node in graph.nodes if node.name not in ("x", "y"))


def _log(graph: Graph, folder: Path) -> Path:
    """Writes a log of the ranges that a quantized graph measures."""
    path = folder / "ranges.log"
    names = [n.name for n in graph.nodes if n.op == "RequantizationRange"]
    path.write_text("".join(f";{n}__print__;__requant_min_max:[-4.0][4.0]\n" for n in names))
    return path


# The parameters of transforms that require some, or would do little without.
_PARAMETERS: Mapping[str, Callable[[Graph, Path, Evaluator], str]] = {
    "correct_biases": lambda graph, folder, evaluator: (
        f'minimum_size=2, ranges="{calibrated.written(folder, graph, programs.inputs()[0], evaluator)}"'
    ),
    "freeze_requantization_ranges": lambda graph, folder, evaluator: (
        f'min_max_log_file="{_log(graph, folder)}"'
    ),
    "half_weights": lambda *_: "minimum_size=2",
    "insert_logging": lambda *_: "first_n=0",
    "quantize_placeholders": lambda *_: "input_min=-2, input_max=2",
    "quantize_weights": lambda *_: "minimum_size=2",
    "remove_attribute": lambda *_: "attribute_name=_output_shapes",
    "remove_nodes": lambda *_: "op=Identity, op=CheckNumerics, op=StopGradient",
    "rename_attribute": lambda *_: "old_attribute_name=_a, new_attribute_name=_b",
    "rename_node": lambda graph, *_: f'old_node_name="{_inner_node(graph)}", new_node_name=z',
    "rename_op": lambda *_: "old_op_name=AddV2, new_op_name=Add",
    "set_device": lambda *_: 'device="/device:CPU:0"',
}


def _outputs(graph: Graph, inputs: list[Array]) -> list[Array]:
    # The node that fills the tables of sparsify_gather.
    first = [node.name for node in graph.nodes if node.name == "group_deps"]
    return [y for (y,) in prepared.ran_again(graph, [{"x": x} for x in inputs], ["y"], first)]


class _Comparison:
    """A graph and its outputs, to which the outputs of transformed graphs are compared."""

    def __init__(self, graph: Graph, evaluator: Evaluator) -> None:
        self._graph = graph
        self._bytes = graph_file.to_bytes(graph)
        self._evaluator = evaluator
        self._expected = _outputs(graph, programs.inputs())

    def require_same(self, steps: list[Step], inputs: list[Array], tolerance: float) -> None:
        created = pipeline.transform(
            prepared.copy(self._graph), steps, ["x"], ["y"], self._evaluator
        )
        if graph_file.to_bytes(created) == self._bytes:
            return
        if (
            steps[0].name == "backport_tensor_array_v3"
        ):  # TensorFlow has the ops for graphs of that time
            created = replace(created, versions=_OLD_VERSIONS)
        for expected, actual in zip(self._expected, _outputs(created, inputs), strict=True):
            assert actual.shape == expected.shape
            assert np.isfinite(actual).all()
            assert np.abs(actual - expected).max() <= tolerance, steps


def _require_all_transforms(graph: Graph, evaluator: Evaluator, folder: Path) -> None:
    """Requires that each transform and each preset leaves the outputs of a graph as they are."""
    plain = _Comparison(graph, evaluator)
    quantized = prepared.transformed(graph, "quantize_nodes", evaluator)
    for name in transforms.NAMES:
        compared, read = plain, graph
        if name == "freeze_requantization_ranges":
            compared, read = _Comparison(quantized, evaluator), quantized
        parameters = _PARAMETERS.get(name, lambda *_: "")(read, folder, evaluator)
        inputs = programs.inputs()
        if name == "quantize_placeholders":
            inputs = [np.rint((x + 2) * (255 / 4)).astype(np.uint8) for x in inputs]
        tolerance = np.inf if name in _LOSSY else _TOLERANCE
        compared.require_same(parse(f"{name}({parameters})"), inputs, tolerance)
    for name in presets.NAMES:
        tolerance = _TOLERANCE if name == "mobile" else np.inf
        plain.require_same(presets.preset(name, fuses=True), programs.inputs(), tolerance)


_BLOCKS = tuple(programs.BLOCKS)
# Together they have each block in a branch of a loop.
_IN_BOTH: tuple[tuple[str, Program], ...] = (
    ("frames", [Loop(2, [Condition(_BLOCKS[0::4], _BLOCKS[1::4])])]),
    ("lowered", [Loop(2, [Condition(_BLOCKS[2::4], _BLOCKS[3::4])])]),
)
# Together they have each block in a loop, in a branch, and in both.
_WITH_ALL_BLOCKS: tuple[tuple[str, Program], ...] = (
    ("frames", [Loop(2, _BLOCKS[0::2])]),
    ("frames", [Loop(2, _BLOCKS[1::2])]),
    ("frames", [Condition(_BLOCKS[0::3], [Loop(1, _BLOCKS[1::3]), *_BLOCKS[2::3]])]),
    *_IN_BOTH,
)


@pytest.mark.parametrize(("form", "program"), extent.some(_WITH_ALL_BLOCKS, *_IN_BOTH))
def test_every_block(form: str, program: Program, evaluator: Evaluator, tmp_path: Path) -> None:
    _require_all_transforms(programs.drawn(program, form), evaluator, tmp_path)


@settings(max_examples=_EXAMPLES, derandomize=True)
@given(program=programs.programs(), form=st.sampled_from(programs.FORMS))
def test_every_transform(
    program: Program, form: str, evaluator: Evaluator, tmp_path_factory: pytest.TempPathFactory
) -> None:
    graph = programs.drawn(program, form)
    _require_all_transforms(graph, evaluator, tmp_path_factory.mktemp("ranges"))
