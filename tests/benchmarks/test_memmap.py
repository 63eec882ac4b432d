"""The benchmark of mapped models: its processes and its table."""

from __future__ import annotations

import sys

import pytest

from benchmarks.inference import memmap
from benchmarks.inference.memmap import FORMS, Load
from demo.nested import NestedError

_ANSWERS = """
import json, sys
print(json.dumps({"seconds": 0.5}), flush=True)
for _ in sys.stdin:
    print(json.dumps({"Pss_Anon": 100, "Pss_File": 7.5}), flush=True)
"""


def test_memory_of_processes_is_added() -> None:
    command = [sys.executable, "-c", _ANSWERS]
    assert memmap.load(FORMS[0], command, 4) == Load(FORMS[0].label, 4, 0.5, 400, 30)


def test_failed_process() -> None:
    with pytest.raises(NestedError, match="a process ended with status 3"):
        memmap.load(FORMS[0], [sys.executable, "-c", "raise SystemExit(3)"], 1)


def test_table() -> None:
    loads = [
        Load("a", 4, 0.0126, 30_000_000, 95_000_000),
        Load("a", 4, 0.0134, 28_000_000, 97_000_000),
    ]
    least = memmap.least(loads)
    assert least == Load("a", 4, 0.0126, 28_000_000, 95_000_000)
    assert memmap.table([least]).splitlines()[2:] == ["| a | 4 | 13 | 28.0 | 95.0 |"]
    assert "Measured on" in memmap.text("a machine", [least])
