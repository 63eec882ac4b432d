"""Nodes in a text form, one per line."""

from __future__ import annotations

from tfcarve.models.node_use import AttrValue, NodeUse


def nodes(text: str, function: str = "") -> list[NodeUse]:
    """Parses the nodes of a graph or function.

    Each line is `name Op inputs…`. An op that ends in `?` is of type bool, one that ends in `$` of type string,
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


# So many nodes that recursion fails, and that a quadratic algorithm would take minutes.
MANY = 5_000
# The last node of `chain`.
END = f"c{MANY - 1}"


def each(line: str) -> str:
    """Returns MANY lines; # is replaced with the number of the line."""
    return "".join(line.replace("#", str(i)) + "\n" for i in range(MANY))


def chain(op: str, first: str, more: str = "") -> str:
    """Returns a placeholder x, a constant k, and MANY nodes c0, c1 …; each reads the previous one and `more`."""
    rest = "".join(f"\nc{i} {op} c{i - 1} {more}" for i in range(1, MANY))
    return f"x Placeholder$\nk Const\nc0 {op} {first} {more}{rest}\n"
