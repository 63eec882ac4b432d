"""Removes nodes from a body and preserves the order in which the other nodes run. Pure."""

from collections.abc import Collection
from dataclasses import replace

from tfcarve.prepare.freeze.bodies import Body, with_inputs
from tfcarve.prepare.freeze.tensor_names import parsed


def without_nodes(body: Body, removed: Collection[str]) -> Body:
    """Returns `body` without the nodes `removed`, whose data no other node reads.

    Nodes that ran after a removed node run after the inputs of that node.
    """
    nodes = {node.name: node for node in body.nodes}
    before: dict[str, list[str]] = {}

    def inputs(name: str) -> list[str]:
        """Returns the nodes that stay and on which a removed node depends."""
        if name not in before:
            found: dict[str, None] = {}
            seen: set[str] = set()
            todo = [name]
            while todo:
                for text in nodes[todo.pop()].input:
                    source = parsed(text)[0]
                    if source not in removed:
                        found.update({source: None} if source in nodes else {})
                    elif source not in seen:
                        seen.add(source)
                        todo.append(source)
            before[name] = list(found)
        return before[name]

    def kept(text: str) -> list[str]:
        if text.startswith("^") and text[1:] in removed:
            return [f"^{name}" for name in inputs(text[1:])]
        return [text]

    left = tuple(
        with_inputs(node, [one for text in node.input for one in kept(text)])
        for node in body.nodes
        if node.name not in removed
    )
    effects = tuple(
        dict.fromkeys(
            one.removeprefix("^") for effect in body.effects for one in kept(f"^{effect}")
        )
    )
    return replace(body, nodes=left, effects=effects)
