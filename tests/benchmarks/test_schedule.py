"""Tests of benchmarks/builds/schedule.py."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.builds import schedule
from benchmarks.builds.schedule import Action
from e2e.builds import execution_log


def _file(path: str, digest: str = "") -> dict[str, object]:
    return {"path": f"bazel-out/{path}", "digest": {"hash": digest or path}}


def _spawn(mnemonic: str, inputs: list[object], outputs: list[object], seconds: str) -> str:
    return json.dumps(
        {
            "mnemonic": mnemonic,
            "inputs": inputs,
            "listedOutputs": ["out"],
            "actualOutputs": outputs,
            "cacheHit": False,
            "commandArgs": [],
            "metrics": {"executionWallTime": seconds},
        }
    )


# A source with the content of an output.
_SOURCE = {"path": "a.cc", "digest": {"hash": "lib.so"}}
_LOG = "\n".join(
    (
        _spawn("Link", [_file("a.o"), _file("folder/b.o")], [_file("lib.so")], "3s"),
        _spawn(
            "CppCompile", [_file("a.cc"), _file("link_to_protoc", "1234")], [_file("a.o")], "2s"
        ),
        _spawn("Tree", [_file("b.cc")], [_file("folder/b.o"), _file("folder/c.o")], "1s"),
        _spawn("Protoc", [], [_file("protoc", "1234")], "5s"),
    )
)


def test_actions() -> None:
    graph = schedule.actions(execution_log.spawns(_LOG))
    named = {action.name.split()[0]: action for action in graph}
    needs = {
        name: {graph[need].name.split()[0] for need in action.needs}
        for name, action in named.items()
    }
    assert needs == {
        "Link": {"CppCompile", "Tree"},
        "CppCompile": {"Protoc"},
        "Tree": set(),
        "Protoc": set(),
    }
    assert all(need < place for place, action in enumerate(graph) for need in action.needs)


def test_critical_path() -> None:
    graph = schedule.actions(execution_log.spawns(_LOG))
    seconds, names = schedule.critical_path(graph)
    assert seconds == 10.0
    assert [name.split()[0] for name in names] == ["Protoc", "CppCompile", "Link"]
    assert schedule.critical_path([]) == (0.0, [])


@pytest.mark.parametrize(("workers", "seconds"), [(1, 11.0), (2, 10.0), (3, 10.0)])
def test_makespan(workers: int, seconds: float) -> None:
    assert schedule.makespan(schedule.actions(execution_log.spawns(_LOG)), workers) == seconds


@st.composite
def _graphs(draw: st.DrawFn) -> list[Action]:
    count = draw(st.integers(1, 12))
    return [
        Action(
            str(place),
            float(draw(st.integers(0, 9))),
            draw(st.frozensets(st.integers(0, place - 1))) if place else frozenset(),
        )
        for place in range(count)
    ]


@given(_graphs(), st.integers(1, 5))
def test_bounds(graph: list[Action], workers: int) -> None:
    """No schedule is shorter than its parts, and none of this kind is longer than both together (Graham, 1969)."""
    work = sum(action.seconds for action in graph)
    longest, _ = schedule.critical_path(graph)
    found = schedule.makespan(graph, workers)
    assert max(longest, work / workers) <= found + 1e-9
    assert found <= work / workers + longest * (workers - 1) / workers + 1e-9
    if workers == 1:
        assert found == work
