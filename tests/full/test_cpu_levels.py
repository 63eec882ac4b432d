"""Libraries for levels of x86-64: the compiler may use AVX2 or AVX-512 in all of TensorFlow's code."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from demo import cached_models, library, nested
from demo.cached_models import CachedModel
from demo.facts import TOLERANCE
from demo.library import INPUT, OUTPUT, Library
from e2e.sessions import cpu_features
from tfcarve.app.workspace import Workspace

# The flags of /proc/cpuinfo that the levels require, without those that all CPUs with the others have.
_LEVELS: Mapping[str, frozenset[str]] = {
    "x86-64-v3": frozenset({"avx2", "bmi2", "f16c", "fma", "movbe"}),
    "x86-64-v4": frozenset({"avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}),
}
# CPUs of qemu below the levels, and the first instructions of the level that they do not have.
_BELOW = {"x86-64-v3": ("qemu64", "SSSE3"), "x86-64-v4": ("max", "AVX512F")}
_GROUPS = ("default", "programs")


@pytest.fixture(name="model", scope="module")
def _model() -> CachedModel:
    return cached_models.load("lstm")


@pytest.fixture(name="workspace", scope="module")
def _workspace(model: CachedModel) -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / "tests/full/app", "full") as workspace:
        workspace.place("cpu_levels", {"lstm.pb": model.model}, "*.pb")
        yield workspace


def _built(workspace: Workspace, level: str) -> Library:
    target = f"//cpu_levels:{level}"
    build = workspace.build([target], [f"--output_groups={','.join(_GROUPS)}"])
    files = [file for group in _GROUPS for file in build.files(target, group)]
    return Library.among("linux_x86_64", files)


@pytest.mark.parametrize("level", _LEVELS)
def test_output_is_full_tensorflows(workspace: Workspace, model: CachedModel, level: str) -> None:
    if level not in cpu_features.supported(_LEVELS):
        pytest.skip(f"according to /proc/cpuinfo, this CPU is not an {level}")
    built = _built(workspace, level)
    expected = np.load(model.output)
    for cpu in ("", *cpu_features.supported()):
        answer = library.run(built, model, cpu)
        assert answer.output is not None, answer.message
        assert library.largest_difference(answer.output, expected) <= TOLERANCE
        # The control: another order of classes exceeds the tolerance.
        assert library.largest_difference(np.roll(answer.output, 1), expected) > TOLERANCE


@pytest.mark.parametrize("level", _LEVELS)
def test_older_cpu_does_not_run_it(workspace: Workspace, model: CachedModel, level: str) -> None:
    """The control: the level has an effect. The library says so before it executes an instruction of the level."""
    cpu, missing = _BELOW[level]
    command = ["qemu-x86_64", "-cpu", cpu, str(_built(workspace, level).runner)]
    arguments = [str(model.model), f"--input={INPUT}={model.input}", f"--output={OUTPUT}=out.npy"]
    done = subprocess.run([*command, *arguments], check=False, text=True, capture_output=True)
    assert done.returncode != 0
    assert f"compiled for CPUs with {missing}, which this CPU does not have" in done.stderr
