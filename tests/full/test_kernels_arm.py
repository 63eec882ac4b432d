"""Kernels for Arm, compiled by g++ or by clang, under qemu: compared with full TensorFlow's on this machine.

The kernels of the overrides, random ops and their errors, and decoders of images, which get damaged images too.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest
import tensorflow as tf

from demo import library
from e2e.builds import app_workspace, override_library
from e2e.graphs import library_graphs, override_graphs
from e2e.graphs.override_graphs import Case
from e2e.random_cases import accuracy, comparisons, drawn_ops
from e2e.random_cases import random_ops as ops
from models import frozen

_PLATFORMS = ("linux_arm64", "linux_armv7")
_COMPILERS = {"g++": ("app", ()), "clang": (app_workspace.CLANG_WORKSPACE, app_workspace.CLANG)}
# Of each kind. Those of accuracy have up to a million terms, which take seconds under qemu.
_RANDOM_OPS, _ACCURATE_OPS = 10, 5
# Of each image.
_DAMAGED = 10
# What libjpeg says about an image that it decodes all the same.
_REPAIRED = re.compile(r"^Corrupt JPEG data: .*\n", re.MULTILINE)


@pytest.fixture(name="cases", scope="module")
def _cases(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Case]:
    return override_graphs.cases(tmp_path_factory.mktemp("full"))


@pytest.fixture(name="programs", scope="module")
def _programs(
    cases: Mapping[str, Case],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mapping[str, Path]]:
    """Yields run_model for each of _PLATFORMS."""
    decoders = {name: graph for name, (graph, _) in library_graphs.DECODERS.items()}
    graphs = {name: case.graph for name, case in cases.items()} | decoders
    groups = {platform: f"{platform}_programs" for platform in _PLATFORMS}
    folder = tmp_path_factory.mktemp("models")
    name, flags = _COMPILERS[os.environ["TESTED_COMPILER"]]
    with app_workspace.opened(name) as workspace:
        built = override_library.build(
            workspace, graphs, folder, tuple(groups.values()), "arm", flags
        )
        yield {platform: built[group]["run_model"] for platform, group in groups.items()}


class _Runner:
    """Runs graphs with an input and an output in a library for a platform."""

    def __init__(self, platform: str, program: Path, folder: Path) -> None:
        self._command = [*library.emulator(platform), program]
        self._folder = folder

    def run(self, graph: Any, fed: Any, threads: int = 2) -> Any:
        """Returns the output, or None if the library refuses the input."""
        model, given, output = (
            self._folder / name for name in ("model.pb", "fed.npy", "output.npy")
        )
        model.write_bytes(graph.SerializeToString(deterministic=True))
        np.save(given, fed)
        output.unlink(missing_ok=True)
        bound = [f"--input={frozen.INPUT}={given}", f"--output={frozen.OUTPUT}={output}"]
        done = subprocess.run(
            [*self._command, model, *bound, f"--threads={threads}"],
            check=False,
            cwd=self._folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert done.returncode in (0, 1), done.stderr
        assert bool(_REPAIRED.sub("", done.stderr)) == bool(done.returncode)
        return None if done.returncode else np.load(output)

    def run_op(self, graph: Any, fed: Any, _path: str, threads: int) -> Any:
        """Returns the output; its arguments are those of random_ops.check."""
        found = self.run(graph, fed, threads)
        assert found is not None, "the library refuses it"
        return found


@pytest.fixture(name="runner", params=_PLATFORMS)
def _runner(
    request: pytest.FixtureRequest, programs: Mapping[str, Path], tmp_path: Path
) -> _Runner:
    return _Runner(request.param, programs[request.param], tmp_path)


def _check(name: str, case: Case, found: Any, expected: Any) -> None:
    """Checks an output. Compilers fuse products and sums for Arm, which full TensorFlow does not on x86-64."""
    if name == "dequantized":
        comparisons.check(found.view(np.float32), expected.view(np.float32), 1e-6, False)
    elif name == "byte_concats":
        # A number in the middle between two bytes becomes the one or the other.
        np.testing.assert_allclose(found, expected, rtol=0, atol=1)
    else:
        comparisons.check(found, expected, case.tolerance, case.signed_zeros)


@pytest.mark.parametrize("name", override_graphs.NAMES)
def test_overrides(name: str, runner: _Runner, cases: Mapping[str, Case]) -> None:
    case = cases[name]
    found = runner.run(case.graph, case.fed)
    _check(name, case, found, case.expected)
    # The control: the output's elements in another order.
    with pytest.raises(AssertionError):
        _check(name, case, found, np.roll(case.expected, 1))


@pytest.mark.parametrize("kind", drawn_ops.KINDS)
def test_random_ops(kind: str, runner: _Runner, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        ops.check(kind, runner.run_op, _RANDOM_OPS, ("",), (1, 2), fused=True)


@pytest.fixture(name="exact", scope="module")
def _exact(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    return accuracy.computed(tmp_path_factory.mktemp("exact"), _ACCURATE_OPS)


@pytest.mark.parametrize("kind", accuracy.TESTED)
def test_errors(kind: str, runner: _Runner, exact: Mapping[str, Any]) -> None:
    accuracy.check_kind(kind, exact, runner.run_op, ("",), _ACCURATE_OPS)


def _expected(graph: Any, data: Any) -> Any:
    try:
        (output,) = frozen.run(graph, {frozen.INPUT: data}, [frozen.OUTPUT])
    except tf.errors.InvalidArgumentError:
        return None
    return output


@pytest.mark.parametrize("name", library_graphs.DECODERS)
def test_images(name: str, runner: _Runner) -> None:
    graph, files = library_graphs.DECODERS[name]
    images = library_graphs.images()
    drawn = np.random.default_rng(frozen.SEED)
    refused = 0
    for file in files:
        damaged = (library_graphs.damaged(images[file], drawn) for _ in range(_DAMAGED))
        for data in (images[file], *damaged):
            # NumPy strings cannot end in zero bytes.
            fed = np.array(data)
            found = runner.run(graph, fed)
            refused += found is None
            # If a GIF ends early, TensorFlow's pixels are what was in memory.
            if file == "gif" and data != images[file]:
                continue
            expected = _expected(graph, fed.item())
            assert (found is None) == (expected is None)
            # TensorFlow computes impossible coefficients of JPEG images with other instructions.
            if expected is None or (file.endswith("jpeg") and data != images[file]):
                continue
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype
    assert refused > 0
