"""The example app: its model, its custom op and its test."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


@pytest.mark.parametrize("label", ["//:app_test", "//:wrapper_test"])
def test_the_apps_own_test_passes(label: str, app: Workspace) -> None:
    done = app.bazel(["test", "--noshow_progress", "--test_output=errors", label])
    assert done.returncode == 0, done.stdout


def test_selection_has_the_used_kernel_of_the_custom_op(app: Workspace) -> None:
    target = "//:tensorflow_selection"
    selection = json.loads(app.build([target]).named(target)["selection.json"].read_text())
    classes = {kernel["class"] for kernel in selection["kernels"] if kernel["op"] == "AppScale"}
    assert classes == {"AppScaleOp<float>"}


def test_proof_of_the_library(app: Workspace) -> None:
    target = "//:tensorflow"
    (file,) = app.build([target], ["--output_groups=proof"]).files(target, "proof")
    (proof,) = json.loads(file.read_bytes())
    assert proof["problems"] == []
    assert proof["registered"] > 0


def test_kernels_register_only_if_the_archive_is_linked_whole(app: Workspace) -> None:
    names = ("plain", "forced", "alwayslink", "shared")
    build = app.build([f"//control:{name}" for name in names])
    kernels = {name: _kernels(build.files(f"//control:{name}")[0]) for name in names}
    assert kernels["plain"] == 0, "the linker drops unreferenced objects"
    assert kernels["forced"] > 0
    assert kernels["alwayslink"] == kernels["forced"], (
        "the rules and the linker's flag have the same effect"
    )
    assert kernels["shared"] == kernels["forced"], "the same in an app's cc_shared_library"


def test_benchmark_targets(app: Workspace, tmp_path: Path) -> None:
    for target, expected in (
        ("tiny", r"^wall( +[\d.]+){5}$"),
        ("tiny_arm64", r"^run +[\d,]+ instructions$"),
    ):
        page = tmp_path / f"{target}.html"
        quiet = ["--noshow_progress", "--ui_event_filters=-info"]
        done = app.bazel(["run", *quiet, f"//benchmark:{target}", "--", f"--html={page}"])
        assert done.returncode == 0, done.stdout
        assert re.search(expected, done.stdout, re.MULTILINE), done.stdout
        assert "MatMul" in page.read_text(encoding="utf-8")


def _kernels(program: Path) -> int:
    done = subprocess.run([program], check=True, text=True, capture_output=True)
    return int(done.stdout)
