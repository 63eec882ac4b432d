"""Kernels of the overrides for Arm, under qemu, compared with full TensorFlow's on this machine."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest

from demo import library
from e2e import app_workspace, override_graphs, override_library
from e2e.override_graphs import Case
from models import frozen

_PLATFORMS = ("linux_arm64", "linux_armv7")


@pytest.fixture(name="cases", scope="module")
def _cases(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Case]:
    return override_graphs.cases(tmp_path_factory.mktemp("full"))


@pytest.fixture(name="programs", scope="module")
def _programs(
    cases: Mapping[str, Case], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Path]]:
    """Yields run_model for each of _PLATFORMS."""
    graphs = {name: case.graph for name, case in cases.items()}
    groups = {platform: f"{platform}_runner" for platform in _PLATFORMS}
    folder = tmp_path_factory.mktemp("models")
    with app_workspace.opened() as workspace:
        built = override_library.build(workspace, graphs, folder, tuple(groups.values()), "arm")
        yield {platform: built[group][0] for platform, group in groups.items()}


@pytest.mark.parametrize(("name", "platform"), itertools.product(override_graphs.NAMES, _PLATFORMS))
def test_output_is_full_tensorflows(
    name: str,
    platform: str,
    cases: Mapping[str, Case],
    programs: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    case = cases[name]
    model, fed, output = (tmp_path / file for file in ("model.pb", "fed.npy", "output.npy"))
    model.write_bytes(case.graph.SerializeToString(deterministic=True))
    np.save(fed, case.fed)
    bound = [f"--input={frozen.INPUT}={fed}", f"--output={frozen.OUTPUT}={output}"]
    done = subprocess.run(
        [*library.emulator(platform), programs[platform], model, *bound, "--threads=2"],
        check=False,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose(np.load(output), case.expected, case.tolerance, case.tolerance)
    # The control: the output's elements in another order.
    with pytest.raises(AssertionError):
        rolled = np.roll(case.expected, 1)
        np.testing.assert_allclose(np.load(output), rolled, case.tolerance, case.tolerance)
