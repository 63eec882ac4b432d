"""Tests of reading what benchmark_model writes."""

import json
from collections.abc import Callable
from typing import Any

import benchmark_values
import pytest

from tfcarve.benchmark import measured
from tfcarve.errors import InvalidInput


def _parse(document: Any) -> measured.Measured:
    return measured.parse(json.dumps(document).encode(), "b.json")


def test_what_is_written_is_read() -> None:
    assert _parse(benchmark_values.document()) == benchmark_values.measured()


def test_memory_may_be_unknown() -> None:
    document = {**benchmark_values.document(), "peak_bytes": None}
    assert _parse(document).peak_bytes is None


def test_output_that_was_not_computed() -> None:
    document = benchmark_values.document()
    document["nodes"][0]["outputs"] = [{"dtype": 0, "dims": []}, {"dtype": 99, "dims": []}]
    outputs = _parse(document).nodes[0].outputs
    assert [output.dtype for output in outputs] == ["", "DataType(99)"]


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
        (_set("version", to=2), "version 1"),
        (_drop("runs"), "key 'runs' is missing"),
        (_set("more", to=1), "key 'more' is unknown"),
        (_set("runs", to=-1), "runs: is negative"),
        (_set("runs", to=True), "a number was expected"),
        (_set("load_ms", to="1"), "load_ms: a number was expected, not '1'"),
        (_set("load_ms", to=None), "load_ms: a number was expected, not None"),
        (_set("load_ms", to=True), "load_ms: a number was expected, not True"),
        (_set("load_ms", to=float("nan")), "load_ms: a number was expected, not nan"),
        (_set("load_ms", to=-0.5), "load_ms: is negative: -0.5"),
        (_set("peak_bytes", to="1"), "peak_bytes: a number was expected"),
        (_set("wall_ms", to=3), "'wall_ms': an object was expected"),
        (_drop("wall_ms", "p95"), "wall_ms: key 'p95' is missing"),
        (_set("cpu_ms", "min", to=[]), "min: a number was expected"),
        (_set("nodes", to={}), "'nodes': a list was expected"),
        (_drop("nodes", 0, "op"), "nodes: key 'op' is missing"),
        (_set("nodes", 1, "calls", to="x"), "calls: a number was expected"),
        (_set("nodes", 1, "inputs", to=[1]), "a string was expected"),
        (_set("nodes", 0, "outputs", 0, "dims", to=[-1]), "outputs: a negative dimension"),
        (_set("nodes", 0, "outputs", 0, to={}), "outputs: key 'dims' is missing"),
        (_set("ops", 0, "share", to=None), "share: a number was expected"),
        (_drop("ops", 0, "nodes"), "ops: key 'nodes' is missing"),
    ],
)
def test_what_is_no_benchmark(change: Callable[[Any], None], message: str) -> None:
    document = benchmark_values.document()
    change(document)
    with pytest.raises(InvalidInput, match=r"^b\.json: ") as caught:
        _parse(document)
    assert message in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"[]", b"1", b"{", b'{"version": 1', b"\xff", b"[" * 99_999])
def test_what_is_no_document(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"^b\.json: "):
        measured.parse(data, "b.json")
