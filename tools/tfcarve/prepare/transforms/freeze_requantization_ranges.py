"""freeze_requantization_ranges: replaces RequantizationRange with constants from a log or from ranges.json.

Source: tensorflow/tools/graph_transforms/freeze_requantization_ranges.cc. The log is written by a graph with
insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:"); `tfcarve calibrate` writes
ranges.json, which TensorFlow's tool does not read.
"""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.context import Context
from tfcarve.prepare.control_flow.constants import Constants
from tfcarve.prepare.graph.graph import Graph, Ref, by_name, data_inputs, rewire, unique_name
from tfcarve.prepare.graph.messages import NodeDef
from tfcarve.prepare.quantize.known_ranges import PARAMETER, KnownRanges, Range, known_ranges

_LOG = "min_max_log_file"
PARAMETERS = frozenset(("max_percentile", _LOG, "min_percentile", PARAMETER))
IN_FUNCTIONS = False
NEEDS_TENSORFLOW = False
CAN_BREAK_GRAPHS = False

_MAX_BYTES = 1 << 30
# The ranges are constants of type float32.
_MAX_FLOAT = float(np.finfo(np.float32).max)
_RECORD = re.compile(rb";([^;\n]*)__print__;__requant_min_max:\[([^][;\n]*)\]\[([^][;\n]*)\]")

Ranges = dict[str, tuple[list[float], list[float]]]
_OP = "RequantizationRange"


def records(log: bytes) -> Ranges:
    """Returns the logged lows and highs of each node."""
    found: Ranges = {}
    for match in _RECORD.finditer(log):
        try:
            low, high = float(match[2]), float(match[3])
        except ValueError:
            continue
        if abs(low) <= _MAX_FLOAT and abs(high) <= _MAX_FLOAT:  # NaN is not
            lows, highs = found.setdefault(match[1].decode(errors="replace"), ([], []))
            lows.append(low)
            highs.append(high)
    return found


def _at(values: Sequence[float], part: float) -> float:
    """Returns the quantile `part` of the values; halves are rounded up."""
    index = math.floor(len(values) * part + 0.5)
    return sorted(values)[max(0, min(index, len(values) - 1))]


def _read(context: Context) -> Ranges:
    path = context.parameters.required(_LOG, f'{_LOG}="run.log", or {PARAMETER}="ranges.json"')[0]
    try:
        if Path(path).stat().st_size > _MAX_BYTES:
            raise InvalidInput(f"{path}: has more than {_MAX_BYTES:,} bytes: log fewer runs")
        found = records(Path(path).read_bytes())
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}: expected the log of the program") from None
    if not found:
        raise InvalidInput(
            f"{path}: contains no ranges: log them with "
            'insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:")'
        )
    return found


def _percentile(context: Context, name: str) -> float:
    value = context.parameters.number(name, 5.0)
    if not 0 <= value <= 100:
        raise InvalidInput(
            f"{context.parameters.transform}: {name}={value}: expected a number from 0 to 100"
        )
    return value / 100


def _logged(context: Context, known: Mapping[str, NodeDef]) -> dict[str, Range]:
    """Returns the ranges of the nodes that a log names."""
    low_part, high_part = (
        _percentile(context, name) for name in ("min_percentile", "max_percentile")
    )
    found = _read(context)
    for name in found:
        if name not in known:
            raise InvalidInput(
                f"the log names {name!r}, which is not a node of the graph{nearest(name, known)}"
            )
        if known[name].op != _OP:
            raise InvalidInput(
                f"node {name!r}: is a {known[name].op}, not a {_OP}: use the log of this graph"
            )
    return {
        name: (np.float32(_at(lows, low_part)), np.float32(_at(highs, 1 - high_part)))
        for name, (lows, highs) in found.items()
    }


def _calibrated(ranges: KnownRanges, known: Mapping[str, NodeDef]) -> dict[str, Range]:
    """Returns the ranges of the RequantizationRange nodes in ranges.json."""
    found = {
        source.node: ranges.of(source)
        for source in ranges.by_tensor
        if known[source.node].op == _OP
    }
    if not found:
        raise InvalidInput(
            f"{ranges.where}: has no range of a {_OP}: run `tfcarve calibrate` on this quantized model"
        )
    return found


def apply(graph: Graph, context: Context) -> Graph:
    """Replaces the ranges; raises InvalidInput if the file has none, is invalid or belongs to another graph."""
    known = by_name(graph)
    ranges = known_ranges(context.parameters, known)
    if ranges is not None and _LOG in context.parameters:
        raise InvalidInput(f"{context.parameters.transform}: pass either {PARAMETER} or {_LOG}")
    found = _logged(context, known) if ranges is None else _calibrated(ranges, known)
    taken, constants = set(known), Constants(graph.nodes)
    listed: list[NodeDef] = []
    replacements: dict[Ref, Ref] = {}
    for node in graph.nodes:
        if node.name not in found or node.name in context.preserved():
            listed.append(node)
            continue
        for output, (end, value) in enumerate(
            zip(("frozen_min", "frozen_max"), found[node.name], strict=True)
        ):
            name = unique_name(f"{node.name}/{end}", taken)
            listed.append(constants.beside(data_inputs(node)[0], name, np.array(value)))
            replacements[Ref(node.name, output)] = Ref(name)
            replacements[Ref(node.name, -1)] = Ref(name, -1)
    rewire(listed, replacements)
    return graph.with_nodes(listed)
