"""Readers of graphs to prepare: constants, lists of transforms, logs, and each transform on a damaged graph."""

from __future__ import annotations

import atexit
import functools
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import means
import protos
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from fuzz import graph_seeds
from fuzz.reader import Reader, of_text
from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.prepare import transforms
from tfcarve.prepare.differences import diff, diff_report
from tfcarve.prepare.evaluate import evaluator, process
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import endpoints, graph_file, tensors
from tfcarve.prepare.graph.graph import Graph
from tfcarve.prepare.graph.messages import FunctionDefLibrary, GraphDef, OpDef, TensorProto
from tfcarve.prepare.pipeline import pipeline, presets, transform_list
from tfcarve.prepare.pipeline.transform_list import Step
from tfcarve.prepare.transforms import freeze_requantization_ranges

_TEXT = Path("m.pbtxt")
_BINARY = Path("m.pb")
# Other transforms need no parameters.
_PARAMETERS = {
    "half_weights": {"minimum_size": ("2",)},
    "quantize_placeholders": {"input_min": ("0",), "input_max": ("1",)},
    "quantize_weights": {"minimum_size": ("2",), "per_channel": ("true",)},
    "remove_attribute": {"attribute_name": ("dilations",)},
    "remove_nodes": {"op": ("Identity",)},
    "rename_attribute": {"old_attribute_name": ("dilations",), "new_attribute_name": ("_d",)},
    "rename_node": {"old_node_name": ("x",), "new_node_name": ("z",)},
    "rename_op": {"old_op_name": ("Relu",), "new_op_name": ("Relu6",)},
    "round_weights": {"num_steps": ("2",)},
    "set_device": {"device": ("/device:CPU:0",)},
}
_LOG = b"starting\nI print.cc] ;range__print__;__requant_min_max:[-1.5][2]\n"
# For the convolution of the seeds.
_MEANS = means.document("c", (0.5, -2.0))
_CHAIN = transform_list.parse("""
    strip_unused_nodes
    remove_nodes(op=Identity)
    remove_device
    fold_batch_norms
    fold_old_batch_norms
    flatten_atrous_conv
    fold_pads
    multiply_by_reciprocals
    round_weights(num_steps=16)
    quantize_weights(minimum_size=2)
    obfuscate_names
    sort_by_execution_order
""")
_PREPARED = [*presets.preset("mobile"), *presets.FUSE]


def _tensor(data: bytes) -> object:
    try:
        tensor = TensorProto.FromString(data)
    except DecodeError as error:
        raise InvalidInput(str(error)) from None
    return tensors.to_array(tensor, "c")


@functools.cache
def _file(content: bytes) -> str:
    """Returns the path of a file, which exists until the process ends."""
    file = tempfile.NamedTemporaryFile(prefix="fuzz-")  # noqa: SIM115
    atexit.register(file.close)
    file.write(content)
    file.flush()
    return file.name


def _step(name: str) -> Step:
    if name == "correct_biases":
        return Step(name, {"ranges": (_file(_MEANS),), "minimum_size": ("2",)})
    if name == "freeze_requantization_ranges":
        return Step(name, {"min_max_log_file": (_file(_LOG),)})
    return Step(name, _PARAMETERS.get(name, {}))


def _lists(names: Collection[str], chain: Sequence[Step]) -> list[list[Step]]:
    """Returns a list of transforms for each name, and one of several transforms."""
    return [*([_step(name)] for name in sorted(names)), list(chain)]


def _transform(graph: Graph, steps: Sequence[Step], evaluator: Evaluator) -> bytes | None:
    """Returns the transformed graph, or None if one of the transforms rejects it."""
    ends = endpoints.inputs(graph), endpoints.outputs(graph)
    try:
        return graph_file.to_bytes(pipeline.transform(graph, steps, *ends, evaluator))
    except InvalidInput as error:
        if not str(error):
            raise AssertionError(f"{steps}: an error without a message") from error
        return None


class _WithoutTensorflow(Evaluator):
    """The evaluator where tensorflow is not installed."""

    def known_op_defs(self) -> Mapping[str, OpDef]:
        return {}


def transformed(data: bytes) -> dict[str, bytes | None]:
    """Applies the transforms that do not need TensorFlow to a graph without functions.

    Returns the graph that each of them returns, and "" with the result of several; None if it rejects the graph.
    """
    parsed = graph_file.parse(data, _BINARY)
    # Transforming functions requires TensorFlow's OpDefs.
    whole = graph_file.to_bytes(Graph(parsed.nodes, FunctionDefLibrary(), parsed.versions))
    return _each(whole, _lists(transforms.without_tensorflow(), _CHAIN), _WithoutTensorflow())


@functools.cache
def _evaluator() -> Evaluator:
    """Returns TensorFlow in a child process, which is loaded."""
    started = Evaluator()
    assert started.op_defs
    atexit.register(started.close)
    return started


def evaluated(data: bytes) -> dict[str, bytes | None]:
    """Applies all transforms to a graph, as `transformed` does, with TensorFlow."""
    graph_file.parse(data, _BINARY)
    return _each(data, _lists(transforms.NAMES, _PREPARED), _evaluator())


def _each(data: bytes, lists: list[list[Step]], evaluator: Evaluator) -> dict[str, bytes | None]:
    return {
        steps[0].name if len(steps) == 1 else "": _transform(
            graph_file.parse(data, _BINARY), steps, evaluator
        )
        for steps in lists
    }


def _log(data: bytes) -> object:
    graph = graph_file.parse(graph_seeds.REQUANTIZED, _BINARY)
    with tempfile.NamedTemporaryFile(prefix="fuzz-", suffix=".log") as file:
        file.write(data)
        file.flush()
        step = Step("freeze_requantization_ranges", {"min_max_log_file": (file.name,)})
        return pipeline.transform(graph, [step], [], ["y"], _WithoutTensorflow())


def _differences(data: bytes) -> object:
    graph = graph_file.parse(data, _BINARY)
    other = graph_file.parse(graph_seeds.CALLS, _BINARY)
    pairs = ((graph, other), (other, graph))
    return [
        json_codec.encode(diff_report.document(diff.changes(a, b), diff.op_counts(a, b)))
        for a, b in pairs
    ]


_TENSOR = protos.number(1, 1) + protos.data(2, protos.shape(2, 3)) + protos.data(5, bytes(range(8)))
_STEPS = b'strip_unused_nodes(type=float, shape="1,299,299,3") remove_nodes(op=Identity, op=CheckNumerics) fold_batch_norms'
_IN_TEXT = text_format.MessageToString(GraphDef.FromString(graph_seeds.CALLS)).encode()
_TRANSFORMS = [transforms.load(name) for name in transforms.NAMES]
_OF_TRANSFORMS = [endpoints, graph_file, pipeline, presets, *_TRANSFORMS]

READERS: dict[str, Reader] = {
    # The command line is far shorter than the inputs with which memory is measured.
    "transforms": Reader([transform_list], of_text(transform_list.parse), InvalidInput, [_STEPS], 90_000_000),
    # A constant may hold one value and declare a large shape: arrays up to 256 MB are allocated.
    "tensor": Reader([tensors], _tensor, InvalidInput, [_TENSOR], 300_000_000),
    "graph_text": Reader([graph_file], lambda data: graph_file.parse(data, _TEXT), InvalidInput, [_IN_TEXT]),
    "diff": Reader([graph_file, diff, diff_report], _differences, InvalidInput, [graph_seeds.CALLS]),
    "requantization_log": Reader([pipeline, freeze_requantization_ranges], _log, InvalidInput, [_LOG]),
    "transformed": Reader(_OF_TRANSFORMS, transformed, InvalidInput, graph_seeds.WITHOUT_TENSORFLOW, 600_000_000),
    "evaluated": Reader([*_OF_TRANSFORMS, evaluator, process], evaluated, InvalidInput, graph_seeds.ALL, 600_000_000, _evaluator),
}  # fmt: skip
