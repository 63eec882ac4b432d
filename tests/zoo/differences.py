"""Reads differences.yaml: the differences between tfcarve and TensorFlow's own tool, with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from zoo.upstream import Pair

_KEYS = {"side", "reason", "models", "kernels"}


@dataclass(frozen=True)
class Entry:
    """Kernels that only one side finds.

    Attributes:
      side: tfcarve or upstream, the side that finds them.
      reason: why this is right.
      models: the models with this difference; empty: any model.
      pairs: the kernels.
    """

    side: str
    reason: str
    models: frozenset[str]
    pairs: frozenset[Pair]

    def explains(self, side: str, model: str, pair: Pair) -> bool:
        """Returns whether this entry covers a difference."""
        fits = self.side == side and (not self.models or model in self.models)
        return fits and pair in self.pairs


@cache
def entries() -> tuple[Entry, ...]:
    """Returns the entries of the file."""
    rows: list[dict[str, Any]] = yaml.safe_load(
        Path(__file__).with_name("differences.yaml").read_text(encoding="utf-8")
    )
    result = []
    for row in rows:
        if row.keys() - _KEYS or row["side"] not in ("tfcarve", "upstream") or not row["reason"]:
            raise ValueError(f"differences.yaml: invalid entry: {row}")
        pairs = frozenset(
            (op, clazz) for op, classes in row["kernels"].items() for clazz in classes
        )
        result.append(Entry(row["side"], row["reason"], frozenset(row.get("models", ())), pairs))
    return tuple(result)
