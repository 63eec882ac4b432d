"""Random ops for property tests of the overrides: their shapes, strides, dilations, padding, layouts, groups and types.

An op reads numbers from a flat input and makes its output float32. Import tfcarve.full_tensorflow's SETTINGS into the environment
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from e2e.random_cases import drawn_elements, drawn_layers, drawn_op
from e2e.random_cases.drawn_op import DrawnOp

KINDS: Mapping[str, st.SearchStrategy[DrawnOp]] = MappingProxyType(
    {**drawn_layers.KINDS, **drawn_elements.KINDS}
)

# The name of the graph of all_kernels.
NAME = "drawn"


def all_kernels() -> Any:
    """Returns a GraphDef with all kernels that KINDS draw: their ops and types."""
    return drawn_op.graph(lambda x: [*drawn_layers.outputs(x), *drawn_elements.outputs(x)])
