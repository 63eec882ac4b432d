"""The transforms: one module each, loaded on first use."""

import importlib
from typing import Protocol, cast

from tfcarve.errors import InvalidInput
from tfcarve.nearest import nearest
from tfcarve.prepare.context import Context
from tfcarve.prepare.graph import Graph

# The parameters of all transforms. Source: TransformGraph in tensorflow/tools/graph_transforms/transform_graph.cc.
COMMON_PARAMETERS = frozenset(("ignore_errors",))


class Transform(Protocol):
    """The interface of a transform's module.

    Attributes:
      PARAMETERS: the names of its parameters.
      IN_FUNCTIONS: whether it also applies to function bodies.
    """

    PARAMETERS: frozenset[str]
    IN_FUNCTIONS: bool

    def apply(self, graph: Graph, context: Context) -> Graph:
        """Returns the transformed graph; the nodes of `graph` may be modified."""


NAMES = (
    "add_default_attributes",
    "backport_concatv2",
    "backport_tensor_array_v3",
    "compact_constants",
    "convert_layout",
    "correct_biases",
    "flatten_atrous_conv",
    "fold_batch_norms",
    "fold_constants",
    "fold_old_batch_norms",
    "fold_pads",
    "freeze_requantization_ranges",
    "fuse_lstm",
    "fuse_ops",
    "fuse_pad_and_conv",
    "fuse_resize_and_conv",
    "fuse_resize_pad_and_conv",
    "half_weights",
    "inline_partitionedcall",
    "insert_logging",
    "merge_duplicate_nodes",
    "multiply_by_reciprocals",
    "obfuscate_names",
    "quantize_nodes",
    "quantize_placeholders",
    "quantize_weights",
    "remove_attribute",
    "remove_control_dependencies",
    "remove_device",
    "remove_dropout",
    "remove_neutral_ops",
    "remove_nodes",
    "remove_training_nodes",
    "rename_attribute",
    "rename_node",
    "rename_op",
    "round_weights",
    "set_device",
    "simplify_control_dependencies",
    "sort_by_execution_order",
    "sparsify_gather",
    "strip_unused_nodes",
)

# Transforms whose parameters can make a valid graph invalid.
BY_PARAMETERS = frozenset(
    ("remove_attribute", "remove_nodes", "rename_attribute", "rename_op", "strip_unused_nodes")
)

# Transforms that do not need TensorFlow if the graph has no functions.
WITHOUT_TENSORFLOW = frozenset(
    (
        "backport_concatv2",
        "compact_constants",
        "correct_biases",
        "flatten_atrous_conv",
        "fold_batch_norms",
        "fold_old_batch_norms",
        "fold_pads",
        "freeze_requantization_ranges",
        "half_weights",
        "multiply_by_reciprocals",
        "obfuscate_names",
        "quantize_placeholders",
        "quantize_weights",
        "remove_attribute",
        "remove_control_dependencies",
        "remove_device",
        "remove_nodes",
        "rename_attribute",
        "rename_node",
        "rename_op",
        "round_weights",
        "set_device",
        "sort_by_execution_order",
        "sparsify_gather",
        "strip_unused_nodes",
    )
)


def load(name: str) -> Transform:
    """Returns the transform `name`; raises InvalidInput, with the nearest names, if it is unknown."""
    if name not in NAMES:
        raise InvalidInput(f"transform {name!r} is unknown{nearest(name, NAMES)}")
    return cast(Transform, importlib.import_module(f"{__name__}.{name}"))
