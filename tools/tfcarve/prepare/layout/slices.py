"""Converts a StridedSlice to channels last. Pure.

Source: tensorflow/core/util/strided_slice_op.h: bit i of a mask applies to entry i of begin, end and strides.
"""

import numpy as np

from tfcarve.prepare.graph.graph import data_inputs
from tfcarve.prepare.graph.messages import AttrValue, NodeDef
from tfcarve.prepare.layout.layouts import RANKS, Facts, Plan, to_last

_OPEN = ("begin_mask", "end_mask")
# Masks that change the dimensions of the result, or which dimension an entry applies to.
_OTHER = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _bits(node: NodeDef, key: str) -> int:
    return node.attr[key].i if key in node.attr else 0


def strided_slice(node: NodeDef, facts: Facts) -> Plan | None:
    """Returns the plan of a StridedSlice with constant inputs that keeps all dimensions, else None."""
    sources = data_inputs(node)
    rank = facts.rank(sources[0])
    if rank not in RANKS or rank is None or len(sources) != 4:
        return None
    if any(_bits(node, key) for key in _OTHER):
        return None
    listed = [facts.constant(source) for source in sources[1:]]
    read = [array for array in listed if array is not None and array.ndim == 1]
    if len(read) != 3 or len({len(array) for array in read}) != 1 or len(read[0]) > rank:
        return None
    count, order = len(read[0]), to_last(rank)
    fills = (0, 0, 1)
    constants = {
        index: np.concatenate([array, np.full(rank - count, fill, array.dtype)])[list(order)]
        for index, (array, fill) in enumerate(zip(read, fills, strict=True), 1)
    }
    unnamed = sum(1 << dim for dim in range(count, rank))
    attrs = {}
    for key in _OPEN:
        bits = _bits(node, key) & ((1 << count) - 1) | unnamed
        turned = sum((bits >> dim & 1) << index for index, dim in enumerate(order))
        attrs[key] = AttrValue(i=turned)
    return Plan((0,), (0,), constants=constants, attrs=attrs)
