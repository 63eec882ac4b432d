"""Which graphs and signatures of a model to read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """The part of a SavedModel or MetaGraph to read; other models are read whole.

    Attributes:
      tags: graphs that have all of these tags; empty: all graphs.
      signatures: what these signatures need, as far as the model has them; empty: the whole graph.
    """

    tags: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()


ALL = Choice()
