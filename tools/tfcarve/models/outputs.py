"""The probable outputs of a model, among the nodes that no other node reads. Pure.

Graphs of TensorFlow 1 have many nodes without readers from training, from the saver and for summaries.
"""

import re
from collections.abc import Collection
from typing import Protocol

from tfcarve.models.node_use import NodeUse
from tfcarve.models.signature_def import node_of

INPUTS = frozenset(("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "_Arg"))
# A graph whose nodes are in a wrong order needs one pass for each node that precedes its input.
_MAX_PASSES = 8
_SUMMARY = re.compile(r"Summary(V2)?\Z")
_TRAINING = re.compile(
    r"(\A|/)(gradients|gradient_tape|save|restore|train|training|optimizer|Adam|metrics|summary|summaries|loss|losses|accuracy"
    r"|report_uninitialized_variables)"
    r"(_\d+)?(/|\Z)"
)
PREDICTIONS = frozenset(("Softmax", "LogSoftmax", "Sigmoid", "ArgMax", "TopK", "TopKV2"))
_PREDICTION = re.compile(
    r"output|predict|prob|softmax|score|logit|class|box|detect|embedding|result|final",
    re.IGNORECASE,
)


class Types(Protocol):
    """The output types of nodes."""

    def dtype(self, use: NodeUse) -> str:
        """Returns the type of a node's first output; "" if the type is unknown or the node has no output."""

    def returns_values(self, use: NodeUse) -> bool:
        """Returns whether a node has an output that is not a reference; true for unknown ops."""


def dependents(uses: Collection[NodeUse]) -> frozenset[str]:
    """Returns the nodes of a graph whose values depend on its inputs: on Placeholders with a default if all have one."""
    required, optional = set[str](), set[str]()
    for use in uses:
        if use.op in INPUTS and not use.function:
            (optional if use.op == "PlaceholderWithDefault" else required).add(use.node)
    found = required or optional
    count = 0
    for _ in range(_MAX_PASSES):
        if len(found) == count:
            break
        count = len(found)
        for use in uses:
            if not use.function and use.node not in found:
                data = (text for text in use.inputs if not text.startswith("^"))
                if any(node_of(text) in found for text in data):
                    found.add(use.node)
    return frozenset(found)


def rank(use: NodeUse, depending: frozenset[str], types: Types) -> int | None:
    """Returns 0 for a node that looks like a prediction, 1 for another that may be an output, None for all others.

    Args:
      use: the node.
      depending: the nodes that depend on inputs; empty if the graph has no inputs.
      types: the output types of the nodes.
    """
    if depending and use.node not in depending:
        return None
    if _SUMMARY.search(use.op) or _TRAINING.search(use.node) or not types.returns_values(use):
        return None
    named = _PREDICTION.search(use.node.rpartition("/")[2])
    return 0 if named or use.op in PREDICTIONS else 1
