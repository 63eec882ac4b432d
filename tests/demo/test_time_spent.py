"""The wall time of a build, divided by what Bazel did."""

from __future__ import annotations

from typing import Any

import pytest

from demo.time_spent import COMPILE, DOWNLOAD, INDEX, LINK, OTHER, by_kind


def _action(mnemonic: str, start: float, seconds: float) -> dict[str, Any]:
    return {
        "ph": "X",
        "cat": "action processing",
        "ts": start * 1e6,
        "dur": seconds * 1e6,
        "args": {"mnemonic": mnemonic},
    }


def test_each_moment_is_counted_once() -> None:
    fetch = {"ph": "X", "cat": "Fetching repository", "ts": 1e6, "dur": 2e6}
    events = [
        {"ph": "M", "name": "thread_name"},
        fetch,
        _action("TfKernelIndex", 3, 4),
        # Two compiles next to a link: two thirds and one third of three seconds.
        _action("CppCompile", 7, 3),
        _action("TfPrecompiledHeader", 7, 3),
        _action("CppLink", 7, 3),
        _action("TfProve", 10, 1),
    ]
    expected = {DOWNLOAD: 2, INDEX: 4, COMPILE: 2, LINK: 1, OTHER: 3}
    assert by_kind(events, 12.0) == pytest.approx(expected)


def test_nothing_ran() -> None:
    assert by_kind([], 1.5)[OTHER] == 1.5
    assert sum(by_kind([_action("CppCompile", 0, 2)], 1.5).values()) == pytest.approx(2)
