"""Tests of the statistics of library_run: the same values as those of the C++ program."""

import math

import pytest

from tfcarve.benchmark import library_run
from tfcarve.benchmark.c_api import CallError, Library, NodeRun
from tfcarve.benchmark.measurement import Output


# tests/runtime/programs/statistics_test.cc has the same cases.
@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ([], (0, 0, 0, 0, 0)),
        ([7], (7, 7, 7, 7, 0)),
        ([3, 1], (1, 2, 3, 2, math.sqrt(2))),
        ([5, 1, 3], (1, 3, 5, 3, 2)),
        ([2, 2, 2, 2], (2, 2, 2, 2, 0)),
        (list(range(100, 0, -1)), (1, 50.5, 95, 50.5, math.sqrt(83325 / 99))),
        (list(range(1, 22)), (1, 11, 20, 11, math.sqrt(770 / 20))),
    ],
)
def test_statistics(samples: list[float], expected: tuple[float, ...]) -> None:
    found = library_run.statistics_of(samples)
    values = (found.min, found.median, found.p95, found.mean, found.stddev)
    assert values == pytest.approx(expected)


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (19, 19), (20, 19), (100, 95)])
def test_95_percent_of_the_samples_do_not_exceed_p95(count: int, expected: float) -> None:
    assert library_run.statistics_of(range(1, count + 1)).p95 == expected


def _runs() -> list[list[NodeRun]]:
    """As Runs() in tests/runtime/programs/benchmark_report_test.cc."""
    shape = ((1, (1, 2)),)

    def run(*times: tuple[str, str, int, int, int]) -> list[NodeRun]:
        inputs = {"conv": "x, filter:0, ^init"}
        outputs = {"conv": shape, "relu": shape}
        return [
            NodeRun(node, op, inputs.get(node, ""), start, took, size, outputs.get(node, ()))
            for node, op, start, took, size in times
        ]

    return [
        run(
            ("conv", "Conv2D", 0, 3_000_000, 80),
            ("relu", "Relu", 3_000_000, 1_000_000, 0),
            ("loop", "Relu", 4_000_000, 500_000, 8),
            ("loop", "Relu", 4_500_000, 500_000, 8),
        ),
        run(
            ("conv", "Conv2D", 0, 5_000_000, 80),
            ("relu", "Relu", 5_000_000, 1_000_000, 0),
            ("loop", "Relu", 6_000_000, 2_000_000, 8),
            ("loop", "Relu", 8_000_000, 1_000_000, 8),
        ),
    ]


def test_totals() -> None:
    nodes = library_run.node_totals(_runs())
    assert [node.name for node in nodes] == ["conv", "relu", "loop"]
    assert [node.ms for node in nodes] == [4, 1, 2]
    assert [node.calls for node in nodes] == [1, 1, 2]
    assert [node.bytes for node in nodes] == [80, 0, 16]
    assert nodes[0].share == pytest.approx(4 / 7)
    assert nodes[0].inputs == ("x", "filter:0", "^init")
    assert (nodes[2].inputs, nodes[2].outputs) == ((), ())
    assert nodes[1].outputs == (Output(dtype=1, dims=(1, 2)),)
    ops = library_run.op_totals(nodes)
    assert [(op.op, op.nodes, op.calls, op.ms) for op in ops] == [
        ("Conv2D", 1, 1, 4),
        ("Relu", 2, 3, 3),
    ]
    assert ops[1].share == pytest.approx(3 / 7)


def test_no_time() -> None:
    assert library_run.node_totals([]) == []
    (node,) = library_run.node_totals([[NodeRun("a", "NoOp", "", 0, 0, 0, ())]])
    assert node.share == 0


@pytest.mark.parametrize("library", ["libm.so.6", "missing.so"])
def test_not_a_carved_library(library: str) -> None:
    with pytest.raises(CallError, match=f"^{library}: cannot be used: ") as caught:
        Library(library)
    assert caught.value.status == 2
