"""Tests of benchmarks/builds/cold_build.py without builds."""

from benchmarks.builds.cold_build import Compiles, Row, table, total
from e2e.builds import execution_log

_LOG = """
{"mnemonic": "CppCompile", "listedOutputs": ["a.o"], "cacheHit": false, "commandArgs": [], "metrics": {"executionWallTime": "1.500s"}}
{"mnemonic": "CppCompile", "listedOutputs": ["b.o"], "cacheHit": true, "commandArgs": [], "metrics": {"executionWallTime": "0.010s"}}
{"mnemonic": "CppCompile", "listedOutputs": ["c.o"], "cacheHit": false, "commandArgs": [], "metrics": {"executionWallTime": "2s"}}
{"mnemonic": "CppArchive", "listedOutputs": ["d.a"], "cacheHit": false, "commandArgs": [], "metrics": {}}
"""


def test_total() -> None:
    assert total(execution_log.spawns(_LOG)) == Compiles(2, 3.5)


def test_table() -> None:
    rows = {"arm": Row(Compiles(0, 0.0), Compiles(3, 30.0), Compiles(1234, 10.0))}
    assert table(rows).splitlines() == [
        "| Platform | Programs that generate sources: sources | time | Library: sources | time | Whole runtime, without kernels: sources | time |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        "| arm | 0 | 0.00 s | 3 | 30.0 s | 1,234 | 10.0 s |",
    ]
