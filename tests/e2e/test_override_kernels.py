"""Kernels of a carved library compared with full TensorFlow's: bit by bit, where sums are exact.

The kernels of tfcarve's overrides, and kernels whose templates are instantiated in helper sources; then at least 2,000 random ops,
and the errors of others compared with full TensorFlow's.
"""

from __future__ import annotations

import itertools
import math
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest

import extent
from built import published
from e2e.graphs import hostile_shapes, hostile_windows, override_graphs
from e2e.graphs.override_graphs import Case
from e2e.random_cases import accuracy, comparisons, drawn_ops, random_ops
from e2e.sessions import cpu_features
from models import frozen
from tfcarve.client.library import Library


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Case]:
    return override_graphs.cases(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def built() -> Mapping[str, Path]:
    group, target = extent.of(("shared", "//shared:library"), ("overrides", "//overrides:library"))
    return published.of(group).named(target, "default", "programs")


@pytest.fixture(scope="module")
def program(built: Mapping[str, Path]) -> Path:
    return built["run_model"]


@pytest.fixture(scope="module")
def library(built: Mapping[str, Path]) -> Library:
    return Library(built["libtensorflow-core.so"])


_PATHS = tuple(cpu_features.REQUIRED)


def _run(
    case: Case, program: Path, folder: Path, path: str, threads: int = 1
) -> tuple[subprocess.CompletedProcess[str], Path]:
    model, fed, output = (folder / file for file in ("model.pb", "fed.npy", "output.npy"))
    model.write_bytes(case.graph.SerializeToString(deterministic=True))
    np.save(fed, case.fed)
    bound = [f"--input={frozen.INPUT}={fed}", f"--output={frozen.OUTPUT}={output}"]
    done = subprocess.run(
        [program, model, *bound, f"--threads={threads}"],
        check=False,
        cwd=folder,
        env={"TFCARVE_CPU": path},
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    return done, output


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *itertools.product(override_graphs.some(override_graphs.WITH_PATHS), _PATHS),
        *((name, "") for name in override_graphs.some(override_graphs.OTHERS)),
    ],
)
def test_output_is_full_tensorflows(
    name: str, path: str, cases: dict[str, Case], program: Path, tmp_path: Path
) -> None:
    case = cases[name]
    assert np.unique(case.expected).size > 250
    # Three threads divide the work differently than one, and are more than some machines have cores.
    for threads in (1, 3):
        done, output = _run(case, program, tmp_path, path, threads)
        if path and path not in cpu_features.supported():
            assert done.returncode == 2, done.stderr
            assert "this CPU does not support" in done.stderr
            pytest.skip(f"according to /proc/cpuinfo, this CPU does not support {path}")
        assert done.returncode == 0, done.stderr
        comparisons.check(np.load(output), case.expected, case.tolerance, case.signed_zeros)


@pytest.fixture(name="windows", scope="module")
def _windows(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    return hostile_windows.expected(tmp_path_factory.mktemp("windows"))


@pytest.mark.parametrize("name", extent.some(tuple(hostile_windows.GRAPHS)))
def test_hostile_windows(
    name: str, windows: Mapping[str, Any], program: Path, tmp_path: Path
) -> None:
    expected = windows.get(name)
    case = Case(hostile_windows.GRAPHS[name], hostile_windows.IMAGE, expected, 1e-6, False)
    done, output = _run(case, program, tmp_path, "")
    # A signal never ends the process.
    assert done.returncode in (0, 1), done.stderr
    assert bool(done.stderr) == bool(done.returncode)
    if name.endswith(f" {hostile_windows.ORDINARY}"):
        assert done.returncode == 0, done.stderr
    if done.returncode == 0 and name not in hostile_windows.UNDEFINED:
        # TensorFlow does not refuse it.
        assert expected is not None
        comparisons.check(np.load(output), expected, case.tolerance, case.signed_zeros)


@pytest.mark.parametrize("name", extent.some(tuple(hostile_shapes.HOSTILE)))
def test_hostile_shapes_are_refused(name: str, program: Path, tmp_path: Path) -> None:
    case = Case(hostile_shapes.HOSTILE[name], hostile_shapes.IMAGE, None, 0, False)
    done, output = _run(case, program, tmp_path, "")
    # A signal never ends the process.
    assert done.returncode == 1, done.stderr
    assert done.stderr
    assert not output.exists()


@pytest.mark.parametrize("name", extent.some(tuple(hostile_shapes.ORDINARY)))
def test_ordinary_shapes_run(name: str, program: Path, tmp_path: Path) -> None:
    case = Case(hostile_shapes.ORDINARY[name], hostile_shapes.IMAGE, None, 0, False)
    done, output = _run(case, program, tmp_path, "")
    assert done.returncode == 0, done.stderr
    assert output.exists()


def test_unknown_path_is_refused(cases: dict[str, Case], program: Path, tmp_path: Path) -> None:
    done, output = _run(cases["products"], program, tmp_path, "sse9")
    assert done.returncode == 2
    assert "TFCARVE_CPU is 'sse9'" in done.stderr
    assert "baseline, avx2, avx512" in done.stderr
    assert not output.exists()


# Of each kind; random_ops checks that so many were compared.
_EXAMPLES = math.ceil(2000 / len(drawn_ops.KINDS))


@pytest.mark.parametrize("kind", extent.some(tuple(drawn_ops.KINDS)))
def test_random_ops(kind: str, library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    # The log has the seed of a test that passes, too.
    with capsys.disabled():
        random_ops.check_library(kind, library, _EXAMPLES)


@pytest.fixture(name="exact", scope="module")
def _exact(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    return accuracy.computed(tmp_path_factory.mktemp("exact"))


@pytest.mark.parametrize("kind", accuracy.TESTED)
def test_errors(kind: str, library: Library, exact: Mapping[str, Any]) -> None:
    run = random_ops.in_library(library)
    accuracy.check_kind(kind, exact, run, cpu_features.supported())
