"""Reads differences.yaml: where we and TensorFlow's own tool differ, and why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from zoo.peer import Pair

_KEYS = {"side", "reason", "models", "kernels"}


@dataclass(frozen=True)
class Entry:
    """Kernels that one side has and the other has not; no models: it holds for any."""

    side: str
    reason: str
    models: frozenset[str]
    pairs: frozenset[Pair]

    def explains(self, side: str, model: str, pair: Pair) -> bool:
        """Says whether a difference is among these."""
        fits = self.side == side and (not self.models or model in self.models)
        return fits and pair in self.pairs


@cache
def entries() -> tuple[Entry, ...]:
    """The entries of the table."""
    rows: list[dict[str, Any]] = yaml.safe_load(
        Path(__file__).with_name("differences.yaml").read_text(encoding="utf-8")
    )
    made = []
    for row in rows:
        if row.keys() - _KEYS or row["side"] not in ("ours", "theirs") or not row["reason"]:
            raise ValueError(f"differences.yaml: not as its head says: {row}")
        pairs = frozenset(
            (op, clazz) for op, classes in row["kernels"].items() for clazz in classes
        )
        made.append(Entry(row["side"], row["reason"], frozenset(row.get("models", ())), pairs))
    return tuple(made)
