"""The benchmark of the link's steps: its commands and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.size import links
from benchmarks.size.links import Link

_LINK = [
    "gcc",
    "-shared",
    "-o",
    "a.so",
    "a.o",
    "-Wl,--gc-sections",
    "-Wl,--icf=all",
    "-Wl,-Map=a.map",
]
_FOLDED, _REACHED, _STRINGS = list(links.STEPS)[:3]
_OUTPUT = Path("b.so")


def test_whole_link_is_bazels_with_another_output() -> None:
    assert links.without(_LINK, links.WHOLE, _OUTPUT) == [
        "gcc", "-shared", "-o", "b.so", "a.o", "-Wl,--gc-sections", "-Wl,--icf=all"
    ]  # fmt: skip


def test_a_step_is_left_out_alone() -> None:
    without = links.without(_LINK, _FOLDED, _OUTPUT)
    assert without == ["gcc", "-shared", "-o", "b.so", "a.o", "-Wl,--gc-sections"]
    assert "-Wl,--icf=all" in links.without(_LINK, _REACHED, _OUTPUT)


def test_a_step_that_is_not_there_measures_nothing() -> None:
    with pytest.raises(ValueError, match="-O2"):
        links.without(_LINK, _STRINGS, _OUTPUT)


def test_savings_are_of_what_it_would_be_without() -> None:
    rows = [
        Link("linux_x86_64", links.WHOLE, 1_500_000, 900_000),
        Link("linux_x86_64", _FOLDED, 2_000_000, 1_000_000),
    ]
    assert links.table(rows).splitlines()[2:] == [
        "| linux_x86_64 | all of them | 1,500,000 in total | 900,000 in total |",
        f"| linux_x86_64 | {_FOLDED} | 500,000 (25.0%) | 100,000 (10.0%) |",
    ]
