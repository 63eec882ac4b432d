"""freeze_requantization_ranges: replaces RequantizationRange with constants from a log.

Source: tensorflow/tools/graph_transforms/freeze_requantization_ranges.cc. The log is written by a graph with
insert_logging(op=RequantizationRange, show_name=true, message="__requant_min_max:").
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare import nodes
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph, Ref, by_name, rewire, unique_name
from tfcarve.prepare.messages import NodeDef

PARAMETERS = frozenset(("max_percentile", "min_max_log_file", "min_percentile"))
IN_FUNCTIONS = False

_MAX_BYTES = 1 << 30
# The ranges are constants of type float32.
_MAX_FLOAT = float(np.finfo(np.float32).max)
_RECORD = re.compile(rb";([^;\n]*)__print__;__requant_min_max:\[([^][;\n]*)\]\[([^][;\n]*)\]")

Ranges = dict[str, tuple[list[float], list[float]]]


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
    path = context.parameters.required("min_max_log_file", 'min_max_log_file="run.log"')[0]
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


def apply(graph: Graph, context: Context) -> Graph:
    """Replaces the ranges; raises InvalidInput if the log has none or belongs to another graph."""
    low_part, high_part = (
        _percentile(context, name) for name in ("min_percentile", "max_percentile")
    )
    found = _read(context)
    known = by_name(graph)
    for name in found:
        if name not in known:
            raise InvalidInput(
                f"the log names {name!r}, which is not a node of the graph{nearest(name, known)}"
            )
        if known[name].op != "RequantizationRange":
            raise InvalidInput(
                f"node {name!r}: is a {known[name].op}, not a RequantizationRange: use the log of this graph"
            )
    taken = set(known)
    listed: list[NodeDef] = []
    replacements: dict[Ref, Ref] = {}
    for node in graph.nodes:
        if node.name not in found or node.name in context.preserved():
            listed.append(node)
            continue
        lows, highs = found[node.name]
        ends = (("frozen_min", _at(lows, low_part)), ("frozen_max", _at(highs, 1 - high_part)))
        for output, (end, value) in enumerate(ends):
            name = unique_name(f"{node.name}/{end}", taken)
            listed.append(nodes.constant(name, np.array(value, np.float32)))
            replacements[Ref(node.name, output)] = Ref(name)
            replacements[Ref(node.name, -1)] = Ref(name, -1)
    rewire(listed, replacements)
    return graph.with_nodes(listed)
