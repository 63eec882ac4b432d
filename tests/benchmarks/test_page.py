"""Tests of the head of a page."""

from __future__ import annotations

import datetime

from benchmarks import page


def test_head() -> None:
    today = datetime.date.today().isoformat()
    assert page.head("Title", "python -m x", "one core").splitlines() == [
        "# Title",
        "",
        f"Measured on {today}: one core.",
        "",
        "    python -m x",
    ]


def test_conditions_follow_the_machine() -> None:
    assert ": one core. One thread.\n" in page.head("Title", "x", "one core", "One thread.")
