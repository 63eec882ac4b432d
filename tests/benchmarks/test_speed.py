"""Tests of the speed benchmark: its processes and the reports it reads."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.inference import alternating_runs, carved, references, speed
from benchmarks.inference.carved import Carved
from benchmarks.inference.speed_table import Library as Runner
from demo.cached_models import CachedModel
from demo.library import Library
from demo.nested import NestedError

_MODEL = CachedModel(Path("m.pb"), Path("i.npy"), Path("o.npy"))


def test_build_file_has_the_platforms_of_the_scripts() -> None:
    build_file = carved.BUILD_FILE.read_text(encoding="utf-8")
    assert all(f'"{name}",' in build_file for name in speed.PLATFORMS)
    assert build_file.count('"linux_') == len(speed.PLATFORMS)


@pytest.mark.parametrize(("cpu", "runs"), [(1000.0, 3), (100.0, 4), (10.0, 40), (1.0, 60), (0, 60)])
def test_short_runs_are_repeated_more_often(cpu: float, runs: int) -> None:
    assert alternating_runs.runs_of(cpu) == runs


def _program(folder: Path, text: str) -> Path:
    file = folder / "benchmark_model"
    file.write_text(f"#!{sys.executable}\n{text}")
    file.chmod(0o755)
    return file


# A fake benchmark_model with two matrix products of 2x3 and 3x4, each executed twice.
_PROGRAM = """\
import json, sys
file = sys.argv.pop().removeprefix("--json=")
traced = "--traced-runs=1" in sys.argv
output = {"dtype": 1, "dims": [2, 4]}
product = {"op": "MatMul", "inputs": ["x", "w"], "calls": 2, "ms": 1, "share": 0.5, "bytes": 1}
x = {**product, "name": "x", "op": "Relu", "inputs": [], "outputs": [{"dtype": 1, "dims": [2, 3]}]}
nodes = [x, *({**product, "name": name, "outputs": [output]} for name in "ab")]
times = dict.fromkeys(("min", "median", "p95", "mean", "stddev"), 1.0)
json.dump({
    "version": 1, "model": " ".join(sys.argv[1:]), "threads": 1, "warmup": 1, "runs": 1, "traced_runs": 0,
    "load_ms": 1, "first_ms": 1, "wall_ms": times, "cpu_ms": times, "peak_bytes": 1,
    "anonymous_bytes_loaded": 1, "anonymous_bytes": 1, "nodes": nodes if traced else [], "ops": [],
}, open(file, "w"))
"""


def _carved(program: Path, model: CachedModel, mapped: Path) -> Carved:
    return Carved(program, model, model.model, mapped, 0)


def test_command_line_of_the_program(tmp_path: Path) -> None:
    measurement = _carved(_program(tmp_path, _PROGRAM), _MODEL, Path("mapped.pb")).measure(2, 7)
    here = Path.cwd()
    assert measurement.model.split() == [
        str(here / "mapped.pb"),
        f"--input=input={here / 'i.npy'}",
        "--output=output",
        "--threads=2",
        "--warmup=1",
        "--runs=7",
        "--traced-runs=0",
    ]


def test_multiply_adds_are_those_of_all_calls(tmp_path: Path) -> None:
    model, _ = _dense(tmp_path)
    own = _carved(_program(tmp_path, _PROGRAM), model, model.model)
    assert own.multiply_adds() == 2 * 2 * (2 * 3 * 4)


def _library(folder: Path, runner: str) -> Library:
    file = folder / "run_model"
    file.write_text(f"#!/bin/sh\n{runner}\n")
    file.chmod(0o755)
    return Library("linux_x86_64", file, file, file, folder / "benchmark_model")


def test_difference_from_full_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    model, _ = _dense(tmp_path)
    changed = tmp_path / "changed.npy"
    np.save(changed, np.load(model.output) + np.float32(0.5))
    copies = (
        f'for word in "$@"; do case $word in --output=*) cp {changed} "${{word#*=*=}}";; esac; done'
    )
    own = carved.checked(_library(tmp_path, copies), model, model.model)
    mapped = tmp_path / "m.mapped.pb"
    assert own == Carved(tmp_path / "benchmark_model", model, model.model, mapped, 0.5)
    assert mapped.is_file()


def test_model_that_does_not_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    model, _ = _dense(tmp_path)
    failing = _library(tmp_path, "echo no such op >&2; exit 1")
    with pytest.raises(NestedError, match="m.mapped.pb did not run: no such op"):
        carved.checked(failing, model, model.model)


@pytest.mark.parametrize("option", ["--model=alexnet", "--platform=windows"])
def test_unknown_names_are_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        speed.main([option])
    assert stopped.value.code == 2
    assert "choose from" in capsys.readouterr().err


def _dense(folder: Path) -> tuple[CachedModel, np.ndarray]:  # type: ignore[type-arg]
    """Returns a model of one matrix product, with an expected output that is wrong by 0.25."""
    import tensorflow as tf

    fed, weights = np.ones((1, 3), np.float32), np.arange(6, dtype=np.float32).reshape(3, 2)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [1, 3], name="input")
        tf.matmul(x, tf.constant(weights), name="output")
    model = CachedModel(folder / "m.pb", folder / "i.npy", folder / "o.npy")
    model.model.write_bytes(graph.as_graph_def().SerializeToString())
    np.save(model.input, fed)
    np.save(model.output, fed @ weights + np.float32(0.25))
    return model, fed


def test_reference_answers_each_round(tmp_path: Path) -> None:
    model, _ = _dense(tmp_path)
    with references.started(Runner.TENSORFLOW, model.model, model, 1) as reference:
        rounds = [reference.measure(2), reference.measure(3)]
    assert reference.difference == 0.25
    assert [one.runs for one in rounds] == [2, 3]
    for one in rounds:
        assert one.threads == one.warmup == 1
        assert min(one.load_ms, one.first_ms, one.cpu_ms.min, one.wall_ms.min) > 0
        assert one.anonymous_bytes_loaded is not None and one.anonymous_bytes is not None
        assert 0 < reference.memory < one.anonymous_bytes_loaded <= one.anonymous_bytes


def test_reference_that_cannot_load_its_model(tmp_path: Path) -> None:
    model, _ = _dense(tmp_path)
    with (
        pytest.raises(NestedError, match="ended with status 1"),
        references.started(Runner.LITE, model.model, model, 1),
    ):
        pass
