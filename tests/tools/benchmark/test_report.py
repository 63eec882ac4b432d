"""Tests of a benchmark with multiply-adds: sums, rates, JSON and tables."""

import json
from dataclasses import replace
from typing import Any

import benchmark_values
import msgspec
import pytest
from benchmark_values import CONV, RELU, benchmark, measurement

from tfcarve import json_codec
from tfcarve.benchmark import report_json, tables
from tfcarve.benchmark.report import Benchmark, gflops
from tfcarve.errors import InvalidInput


def _in_a_loop(count: int | None) -> Benchmark:
    """A second convolution, which is executed three times."""
    again = msgspec.structs.replace(CONV, name="again", calls=3)
    return replace(
        benchmark(multiply_adds=(20_000_000, 0, count)),
        measurement=measurement(nodes=(CONV, RELU, again)),
    )


def test_sums() -> None:
    one = _in_a_loop(1_000_000)
    assert [count for _, count in one.nodes()] == [20_000_000, 0, 3_000_000]
    assert [(op.op, count) for op, count in one.ops()] == [("Conv2D", 23_000_000), ("Relu", 0)]
    assert one.total_multiply_adds() == 23_000_000


def test_unknown_stays_unknown() -> None:
    one = _in_a_loop(None)
    assert {op.op: count for op, count in one.ops()} == {"Conv2D": None, "Relu": 0}
    assert one.total_multiply_adds() == 20_000_000
    assert any("at least 20,000,000 multiply-adds" in line for line in tables.summary(one))
    assert not any("at least" in line for line in tables.summary(benchmark()))


def test_under_qemu_ops_are_sorted_by_multiply_adds() -> None:
    swapped = benchmark(emulated=True, multiply_adds=(0, 5))
    assert [op.op for op, _ in swapped.ops()] == ["Relu", "Conv2D"]
    assert [op.op for op, _ in benchmark(multiply_adds=(0, 5)).ops()] == ["Conv2D", "Relu"]


@pytest.mark.parametrize(
    ("multiply_adds", "ms", "rate"),
    [(20_000_000, 8.0, 5.0), (0, 8.0, None), (None, 8.0, None), (20_000_000, 0.0, None)],
)
def test_rate(multiply_adds: float | None, ms: float, rate: float | None) -> None:
    assert gflops(multiply_adds, ms) == rate


def test_json() -> None:
    document = json.loads(report_json.report_json(benchmark()))
    assert document["version"] == 1
    assert document["cpu"] == "x86_64"
    assert document["instructions"] is None
    assert document["multiply_adds"] == 20_000_000
    assert document["wall_ms"]["median"] == 10.0
    assert document["nodes"][0]["outputs"] == [{"dtype": "float32", "dims": [1, 8, 8, 4]}]
    assert (document["nodes"][0]["gflops"], document["ops"][1]["gflops"]) == (5.0, None)
    missing = benchmark_values.document().keys() - document.keys()
    assert not missing, "the fields that the program writes"


def test_json_has_no_times_of_an_emulator() -> None:
    document = json.loads(report_json.report_json(benchmark(emulated=True)))
    assert document["instructions"] == {"run": 27_000_000, "load_and_first_run": 90_000_000}
    for key in ("load_ms", "first_ms", "wall_ms", "cpu_ms", "peak_bytes", "anonymous_bytes"):
        assert document[key] is None
    for row in (*document["nodes"], *document["ops"]):
        assert (row["ms"], row["share"], row["gflops"]) == (None, None, None)
    assert document["ops"][0]["multiply_adds"] == 20_000_000


def test_summary() -> None:
    text = "\n".join(tables.summary(benchmark()))
    assert "m.pb in benchmark_model (x86_64)" in text
    assert "runs        20 after 1 warmup" in text
    assert "wall             9.000     10.000     12.500     10.500      0.250" in text
    assert "peak 50.0 MB; anonymous 20.0 MB after loading, 40.0 MB after the runs" in text
    assert "20,000,000 multiply-adds: 4.0 GFLOPS" in text


def test_summary_omits_unknown_values() -> None:
    one = replace(benchmark(), measurement=measurement(runs=0, threads=0, peak_bytes=None))
    text = "\n".join(tables.summary(one))
    assert "threads     one per core" in text
    assert "wall" not in text
    assert "memory" not in text


def test_summary_under_qemu() -> None:
    text = "\n".join(tables.summary(benchmark(emulated=True)))
    assert "run         27,000,000 instructions" in text
    assert "20,000,000 multiply-adds: 1.35 instructions each" in text
    assert " ms" not in text
    assert "memory" not in text


def test_tables() -> None:
    one = benchmark()
    conv, relu = tables.ops(one)
    assert {key: value.strip() for key, value in conv.items()} == {
        "ms": "8.000",
        "share": "80.0%",
        "calls": "1",
        "MB": "4.000",
        "M mult-adds": "20.000",
        "GFLOPS": "5.0",
        "op": "Conv2D",
    }
    assert relu["GFLOPS"] == ""
    assert set(tables.columns(one, "op")) == set(conv)
    (slowest,) = tables.nodes(one, 1)
    assert slowest["node"] == "conv (Conv2D)"
    assert tables.nodes(one, 0) == []
    assert tables.ops(_in_a_loop(None))[0]["M mult-adds"] == "unknown"


def test_tables_under_qemu() -> None:
    one = benchmark(emulated=True)
    assert set(tables.ops(one)[0]) == set(tables.columns(one, "op"))
    assert "ms" not in tables.columns(one, "op")
    assert [row["share"].strip() for row in tables.ops(one)] == ["100.0%", "0.0%"]


def test_json_is_read() -> None:
    written = report_json.report_json(benchmark())
    read = report_json.parse(written, "t.json")
    assert json.loads(json_codec.encode(read)) == json.loads(written)


@pytest.mark.parametrize("change", [{"version": 2}, {"nodes": 3}, {"more": 1}])
def test_another_document(change: dict[str, Any]) -> None:
    found = json.loads(report_json.report_json(benchmark())) | change
    with pytest.raises(
        InvalidInput, match=r"^t.json: .*: expected a benchmark, which `tfcarve benchmark"
    ):
        report_json.parse(msgspec.json.encode(found), "t.json")
