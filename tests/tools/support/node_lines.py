"""Nodes written down in a line each."""

from __future__ import annotations

from tfcarve.models.node_use import AttrValue, NodeUse


def nodes(text: str, function: str = "") -> list[NodeUse]:
    """Reads nodes of a graph, or of a function.

    Each line is `name Op inputs…`. An op with `?` at its end is of type bool, one with `$` gives strings,
    and `Op>F` calls F.
    """
    uses = []
    for line in text.strip().splitlines():
        name, op, *inputs = line.split()
        op, _, callee = op.partition(">")
        attrs = {"f": AttrValue("func", callee)} if callee else {}
        if op.endswith("?"):
            attrs["T"] = AttrValue("type", "bool")
        if op.endswith("$"):
            attrs["dtype"] = AttrValue("type", "string")
        uses.append(NodeUse("m", function, name, op.rstrip("?$"), "", attrs, tuple(inputs)))
    return uses
