"""Libraries compiled by clang, whose precompiled headers and vectors work differently than g++'s."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tfcarve import full_tensorflow

os.environ.update(full_tensorflow.SETTINGS)

import numpy as np
import pytest

from demo import cached_models, library
from demo.facts import TOLERANCE
from demo.inception import MODEL
from e2e.builds import app_workspace, override_library
from e2e.builds.app_workspace import CLANG
from e2e.random_cases import drawn_ops, random_ops
from tfcarve.app.workspace import Workspace
from tfcarve.client.library import Library

_LIBRARY = "//:tensorflow"
_SMALLEST = "//inception:release_smallest"
# The size that TensorFlow's documentation of 2017 states for Inception v3.
_BYTES_OF_2017 = 1_500_000
# Of each kind.
_RANDOM_OPS = 50


@pytest.fixture(name="workspace", scope="module")
def _workspace() -> Iterator[Workspace]:
    with app_workspace.opened(app_workspace.CLANG_WORKSPACE) as workspace:
        yield workspace


def test_the_app_runs(workspace: Workspace) -> None:
    build = workspace.build([_LIBRARY], [*CLANG, "--output_groups=unstripped"])
    (unstripped,) = build.files(_LIBRARY, "unstripped")
    tested = workspace.bazel(["test", *CLANG, "//:app_test"])
    assert tested.returncode == 0, tested.stdout
    assert b"clang version 19" in unstripped.read_bytes()


def test_inception_for_a_raspberry_pi_is_smaller_than_in_2017(workspace: Workspace) -> None:
    model = cached_models.load(MODEL)
    workspace.place("inception", {model.model.name: model.model}, "*.pb")
    built = library.build(workspace, _SMALLEST, "linux_arm64", CLANG)
    assert built.shared.stat().st_size <= _BYTES_OF_2017
    answer, _ = library.run_once(built, model)
    assert answer.output is not None, answer.message
    assert library.largest_difference(answer.output, np.load(model.output)) <= TOLERANCE


@pytest.fixture(name="kernels", scope="module")
def _kernels(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library with the kernels of the overrides."""
    folder = tmp_path_factory.mktemp("models")
    built = override_library.build(workspace, {}, folder, ("default",), flags=CLANG)
    return Library(built["default"]["libtensorflow-core.so"])


@pytest.mark.parametrize("kind", drawn_ops.KINDS)
def test_random_ops(kind: str, kernels: Library) -> None:
    random_ops.check_library(kind, kernels, _RANDOM_OPS)


def test_missing_compiler(workspace: Workspace) -> None:
    compiler = "--repo_env=TFCARVE_CROSS_COMPILER=clang++-0"
    built = workspace.bazel(["build", CLANG[0], compiler, _SMALLEST])
    assert built.returncode != 0
    assert "TFCARVE_CROSS_COMPILER is clang++-0, which is not on PATH" in built.stdout
