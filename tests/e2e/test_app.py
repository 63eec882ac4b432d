"""The app that a user would write: its own model, its own op, its own test."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.nested import Workspace
from e2e import app_workspace


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def test_the_apps_own_test_passes(app: Workspace) -> None:
    done = app.bazel(["test", "--noshow_progress", "--test_output=errors", "//:app_test"])
    assert done.returncode == 0, done.stdout


def test_selection_has_the_apps_op_and_of_its_kernels_the_one_that_is_used(app: Workspace) -> None:
    build = app.build(["//:tensorflow_selection"])
    files = build.files("//:tensorflow_selection")
    selection = json.loads(next(f for f in files if f.name == "selection.json").read_text())
    classes = {kernel["class"] for kernel in selection["kernels"] if kernel["op"] == "AppScale"}
    assert classes == {"AppScaleOp<float>"}


def test_plainly_linked_archive_registers_nothing_and_a_forced_one_does(app: Workspace) -> None:
    names = ("plain", "forced", "alwayslink", "shared")
    build = app.build([f"//control:{name}" for name in names])
    kernels = {name: _kernels(build.files(f"//control:{name}")[0]) for name in names}
    assert kernels["plain"] == 0, "the linker takes no object that nothing asks for"
    assert kernels["forced"] > 0
    assert kernels["alwayslink"] == kernels["forced"], "what the rules do is what the flag does"
    assert kernels["shared"] == kernels["forced"], "in an app's cc_shared_library, too"


def _kernels(program: Path) -> int:
    done = subprocess.run([program], check=True, text=True, capture_output=True)
    return int(done.stdout)
