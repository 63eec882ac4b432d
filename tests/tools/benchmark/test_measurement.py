"""Tests of reading the report of benchmark_model."""

import json
from collections.abc import Callable
from typing import Any

import benchmark_values
import pytest

from tfcarve.benchmark import measurement
from tfcarve.errors import InvalidInput


def _parse(document: Any) -> measurement.Measurement:
    return measurement.parse(json.dumps(document).encode(), "b.json")


def test_reads_a_report() -> None:
    assert _parse(benchmark_values.document()) == benchmark_values.measurement()


def test_memory_may_be_unknown() -> None:
    document = {**benchmark_values.document(), "peak_bytes": None}
    assert _parse(document).peak_bytes is None


def _set(*path: Any, to: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = to

    return change


def _drop(*path: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set("version", to=2), "Invalid enum value 2 - at `$.version`"),
        (_drop("runs"), "missing required field `runs`"),
        (_set("more", to=1), "unknown field `more`"),
        (_set("runs", to=-1), "Expected `int` >= 0 - at `$.runs`"),
        (_set("peak_bytes", to=2**63), "Expected `int` <= 9223372036854775807 - at `$.peak_bytes`"),
        (
            _set("nodes", 0, "outputs", 0, "dims", to=[1] * 255),
            "Expected `array` of length <= 254 - at `$.nodes[0].outputs[0].dims`",
        ),
        (_set("runs", to=True), "Expected `int`, got `bool` - at `$.runs`"),
        (_set("load_ms", to="1"), "Expected `float`, got `str` - at `$.load_ms`"),
        (_set("load_ms", to=None), "Expected `float`, got `null` - at `$.load_ms`"),
        (_set("load_ms", to=True), "Expected `float`, got `bool` - at `$.load_ms`"),
        (_set("load_ms", to=float("nan")), "malformed"),
        (_set("load_ms", to=-0.5), "Expected `float` >= 0.0 - at `$.load_ms`"),
        (_set("peak_bytes", to="1"), "Expected `int | null`, got `str` - at `$.peak_bytes`"),
        (_set("wall_ms", to=3), "Expected `object`, got `int` - at `$.wall_ms`"),
        (_drop("wall_ms", "p95"), "missing required field `p95` - at `$.wall_ms`"),
        (_set("cpu_ms", "min", to=[]), "Expected `float`, got `array` - at `$.cpu_ms.min`"),
        (_set("nodes", to={}), "Expected `array`, got `object` - at `$.nodes`"),
        (_drop("nodes", 0, "op"), "missing required field `op` - at `$.nodes[0]`"),
        (_set("nodes", 1, "calls", to="x"), "Expected `float`, got `str` - at `$.nodes[1].calls`"),
        (
            _set("nodes", 1, "inputs", to=[1]),
            "Expected `str`, got `int` - at `$.nodes[1].inputs[0]`",
        ),
        (
            _set("nodes", 0, "outputs", 0, "dims", to=[-1]),
            "Expected `int` >= 0 - at `$.nodes[0].outputs[0].dims[0]`",
        ),
        (
            _set("nodes", 0, "outputs", 0, to={}),
            "missing required field `dtype` - at `$.nodes[0].outputs[0]`",
        ),
        (_set("ops", 0, "share", to=None), "Expected `float`, got `null` - at `$.ops[0].share`"),
        (_drop("ops", 0, "nodes"), "missing required field `nodes` - at `$.ops[0]`"),
    ],
)
def test_malformed_report(change: Callable[[Any], None], message: str) -> None:
    document = benchmark_values.document()
    change(document)
    with pytest.raises(InvalidInput, match=r"^b\.json: ") as caught:
        _parse(document)
    assert message in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"1", b"{", b'{"version": 1', b"\xff", b"[" * 99_999])
def test_malformed_json(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^b\.json: "):
        measurement.parse(data, "b.json")
