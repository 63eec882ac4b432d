"""ranges.json with only the means of one node."""

from __future__ import annotations

from collections.abc import Sequence

from tfcarve.prepare.quantize.ranges import ChannelMeans, Ranges


def document(node: str, means: Sequence[float]) -> bytes:
    """Returns the document with the means of the channels that a node reads."""
    found = Ranges(
        version=1,
        model_sha256="0" * 64,
        method="minmax",
        percentile=None,
        samples=1,
        ranges=(),
        means=(ChannelMeans(node, tuple(means)),),
    )
    return found.to_json()
