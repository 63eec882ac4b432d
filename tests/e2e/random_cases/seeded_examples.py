"""Random examples of hypothesis: a fixed number, the same ones for the same seed."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

_Example = TypeVar("_Example")


def limited(examples: int) -> settings:
    """Returns the settings of a test with this number of examples, none of them from earlier runs."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def drawn(strategy: st.SearchStrategy[_Example], examples: int, number: int) -> list[_Example]:
    """Returns `examples` values of a strategy for the seed `number`."""
    found: list[_Example] = []

    @seed(number)
    @limited(examples)
    @given(example=strategy)
    def take(example: _Example) -> None:
        found.append(example)

    take()
    return found
