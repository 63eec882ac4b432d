"""Names of nodes as paths of name scopes. Pure."""

from collections.abc import Iterable, Iterator

# Deeper name scopes are never opened: Graphviz is recursive.
MAX_DEPTH = 16


def box_name(node: str, depth: int) -> str:
    """Returns the name of the box in which a node is drawn.

    Args:
      node: the node's name.
      depth: how many levels of name scopes are drawn.

    Returns:
      The node's name, or the scope that contains it at that level: `a/b/` for `a/b/c` at level 2.
    """
    place = -1
    for _ in range(depth):
        place = node.find("/", place + 1)
        if place < 0:
            return node
    return node[: place + 1]


def scopes(name: str) -> Iterator[str]:
    """Yields the scopes that contain a box, outermost first: `a/` and `a/b/` for `a/b/c` and for `a/b/c/`."""
    place = name.find("/")
    while 0 <= place < len(name) - 1:
        yield name[: place + 1]
        place = name.find("/", place + 1)


def short(name: str) -> str:
    """Returns the last part of a name, without the scopes that contain it."""
    return name.removesuffix("/").rpartition("/")[2]


def box_counts(nodes: Iterable[str], limit: int) -> list[int]:
    """Returns how many boxes the depths 1, 2 … draw, up to the first depth that draws more than `limit`.

    The last number is then `limit` + 1. Depths at which nothing opens any more are left out.
    """
    found: list[set[str]] = [set() for _ in range(MAX_DEPTH)]
    exceeded = False
    for node in nodes:
        for index, boxes in enumerate(found):
            boxes.add(box_name(node, index + 1))
            if len(boxes) > limit:
                del found[index:]
                exceeded = True
                break
    counts = [len(boxes) for boxes in found]
    if exceeded:
        return [*counts, limit + 1]
    return counts[: next(i for i, boxes in enumerate(found, 1) if boxes == found[-1])]
