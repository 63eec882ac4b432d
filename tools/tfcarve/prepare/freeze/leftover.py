"""What keeps a graph from being a frozen one. Pure."""

from collections.abc import Collection, Iterator

from tfcarve.models.node_use import Model, NodeUse

_VARIABLES = frozenset((
    "VarHandleOp", "VarHandlesOp", "ReadVariableOp", "Variable", "VariableV2", "AutoReloadVariable",
    "TemporaryVariable",
))  # fmt: skip
_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall", "RemoteCall"))
_PLACEHOLDERS = frozenset(("Placeholder", "PlaceholderV2"))


def variables(model: Model) -> Iterator[NodeUse]:
    """Yields the nodes of `model` that are variables or read one."""
    yield from (use for use in model.nodes if use.op in _VARIABLES)


def _kind(use: NodeUse) -> str:
    if use.op in _VARIABLES:
        return "a variable"
    if use.op in _CALLS:
        return "a call of a function"
    if "Table" in use.op and not use.op.startswith("LookupTable"):
        return "a lookup table"
    return ""


def problem(model: Model, inputs: Collection[str]) -> str:
    """Returns what of `model` is not as in a frozen graph, "" where nothing is.

    Args:
      model: the graph.
      inputs: the names of its inputs; other Placeholders are not fed by anyone.
    """
    stray = sorted(
        {u.node for u in model.nodes if not u.function and u.op in _PLACEHOLDERS} - set(inputs)
    )
    if stray:
        return (
            f"the outputs need {', '.join(map(repr, stray[:10]))}, which nothing feeds: name all of them in --inputs, "
            "or give --outputs that do not need them"
        )
    called = {use.op for use in model.nodes} & set(model.functions)
    for use in model.nodes:
        kind = "a call of a function" if use.op in called else _kind(use)
        if kind:
            return f"{use.place()} is {kind} ({use.op}), which freezing does not replace"
    return ""
