"""The choice of graphs and signatures to read from a model."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """The part of a SavedModel or MetaGraph to read; other models are read whole.

    Attributes:
      tags: graphs that have all of these tags; empty: all graphs.
      signatures: only nodes that one of these signatures needs are read; empty: the whole graph.
    """

    tags: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


ALL = Choice()
