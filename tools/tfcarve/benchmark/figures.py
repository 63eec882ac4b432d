"""Checks that figures of a benchmark belong to a model. Pure."""

from collections.abc import Iterable, Iterator

from tfcarve.benchmark import report_json
from tfcarve.benchmark.measurement import Measurement, Node
from tfcarve.errors import InvalidInput
from tfcarve.models.node_use import NodeUse

# Ops of nodes that a session adds to its graph (third_party/tensorflow/releases/*/runtime_ops.yaml, tools/runtime/models/constants.cc).
_ADDED = frozenset(
    (
        *("_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv", "NoOp", "Const"),
        *("Identity", "IdentityN", "Switch", "_SwitchN", "Merge", "Enter", "Exit", "LoopCond"),
        *("NextIteration", "AddN", "ReadVariableOp", "ZerosLike", "_TfcarveConstant", "Shape"),
        *("_ParallelConcatStart", "_ParallelConcatUpdate", "Assign", "AssignAdd", "Fill"),
        *("TemporaryVariable", "DestroyTemporaryVariable"),
    )
)


def _names(node: Node | report_json.Node) -> Iterator[tuple[str, str]]:
    """Yields the names that a node may have in the model, with its op.

    The names of the nodes of an inlined function are prefixed by the name of the calling node.
    """
    parts = node.name.split("/")
    return (("/".join(parts[start:]), node.op) for start in range(len(parts)))


def check(
    figures: Measurement | report_json.Document, where: str, uses: Iterable[NodeUse], model: str
) -> None:
    """Raises InvalidInput if figures have no nodes, or nodes that the model does not have.

    Args:
      figures: the report.
      where: its file, for messages.
      uses: the model's nodes.
      model: its file, for messages.
    """
    if not figures.nodes:
        raise InvalidInput(f"{where}: has no nodes: measure with --traced-runs of at least 1")
    known = {(use.node, use.op) for use in uses}
    for node in figures.nodes:
        if node.op not in _ADDED and known.isdisjoint(_names(node)):
            raise InvalidInput(
                f"{where}: measured for another model ({figures.model}): {model} has no node "
                f"{node.name!r} with the op {node.op}"
            )
