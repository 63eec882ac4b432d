"""Tests of library_run: its statistics are those of the C++ program, and it runs a fake library."""

import math
from pathlib import Path

import fake_library
import pytest

from tfcarve.benchmark import library_run, measurement
from tfcarve.benchmark.measurement import Output
from tfcarve.client.c_interface import API_VERSION
from tfcarve.client.result import NodeRun


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


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fake_library.built(API_VERSION, tmp_path_factory.mktemp("fake") / "libfake.so")


def test_library_run(library: Path, tmp_path: Path) -> None:
    report = tmp_path / "b.json"
    words = f"{library} m.pb --input-random=x=float32:1x2 --output=y --threads=1 --warmup=1"
    counts = f"--runs=3 --traced-runs=2 --json={report}"
    assert library_run.main([*words.split(), *counts.split()]) == 0
    found = measurement.parse(report.read_bytes(), "b.json")
    assert (found.model, found.runs, found.traced_runs) == ("m.pb", 3, 2)
    assert [(node.name, node.ms, node.calls) for node in found.nodes] == [
        ("conv", 5.0, 1.0),
        ("relu", 1.0, 1.0),
    ]
    assert [op.op for op in found.ops] == ["Conv2D", "Relu"]
    assert 0 < found.wall_ms.min <= found.wall_ms.median


def test_library_run_that_fails(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(library), "m.pb", "--input-random=x=float32:1x2", "--threads=1", "--warmup=1"]
    counts = ["--runs=1", "--traced-runs=0", f"--json={tmp_path / 'b.json'}"]
    assert library_run.main([*words, "--output=bad", *counts]) == 1
    assert capsys.readouterr().err == "m.pb: no such node\n"
    assert not (tmp_path / "b.json").exists()
