"""The nodes that need an op or a kernel."""

from collections.abc import Iterable, Sequence

from tfcarve.json_codec import JsonDocument

_SHOWN = 3


class Need(JsonDocument, frozen=True, omit_defaults=True):
    """A node that needs an op or a kernel; `function` is empty for nodes of the graph itself."""

    model: str
    node: str
    function: str = ""

    def __lt__(self, other: "Need") -> bool:
        """Sorts the nodes of the graph before the nodes of functions."""
        return (self.model, self.function, self.node) < (other.model, other.function, other.node)

    def text(self) -> str:
        """Returns the node for a message."""
        if not self.node:
            return f"{self.model}: function {self.function}"
        inside = f" in function {self.function}" if self.function else ""
        return f"{self.model}: node {self.node!r}{inside}"


def first(texts: Sequence[str]) -> tuple[str, ...]:
    """Returns the first of `texts`, one for each node, and the number of other nodes."""
    more = len(texts) - _SHOWN
    return (*texts[:_SHOWN], *([f"{more} more nodes"] if more > 0 else []))


def shown(needs: Iterable[Need]) -> tuple[str, ...]:
    """Returns the first of `needs` for a message, and the number of others. If `needs` is empty, names the runtime."""
    return first([need.text() for need in needs]) or ("TensorFlow's runtime",)
