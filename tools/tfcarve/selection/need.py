"""The nodes that need an op or a kernel."""

from collections.abc import Iterable

from tfcarve.json_codec import JsonDocument

_SHOWN = 3


class Need(JsonDocument, frozen=True, omit_defaults=True):
    """A node that needs an op or a kernel; `function` is empty for nodes of the graph itself."""

    model: str
    node: str
    function: str = ""

    def __lt__(self, other: "Need") -> bool:
        """Sorts the nodes of the graph before those of functions."""
        return (self.model, self.function, self.node) < (other.model, other.function, other.node)

    def text(self) -> str:
        """Returns the node for a message."""
        inside = f" in function {self.function}" if self.function else ""
        return f"{self.model}: node {self.node!r}{inside}"


def shown(needs: Iterable[Need]) -> tuple[str, ...]:
    """Returns the first of `needs` for a message, and how many more there are; without any, names the runtime."""
    texts = [need.text() for need in needs]
    first = texts[:_SHOWN]
    if len(texts) > len(first):
        first.append(f"{len(texts) - len(first)} more nodes")
    return tuple(first) or ("TensorFlow's runtime",)
