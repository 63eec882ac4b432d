"""Each compile of a library has all its inputs: with Bazel's default settings, it runs in a sandbox that has no other files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import extent
from e2e.builds import app_workspace, execution_log
from tfcarve.app.workspace import BuildError, Workspace

_SANDBOX = "linux-sandbox"
# Without the disk cache, whose entries may come from builds with another strategy.
_FLAGS = ("--disk_cache=", "--output_groups=default,parts", "--norun_validations")


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def _files(app: Workspace, target: str) -> list[str]:
    """Returns the paths of a target's files in the execution root."""
    done = app.bazel(["cquery", "--noshow_progress", "--output=files", target])
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if line.startswith("bazel-out/")]


def _compiled_again(app: Workspace, target: str, outputs: Sequence[Path]) -> set[str]:
    """Removes outputs of earlier builds, and returns the objects that Bazel then compiles: all of them in the sandbox."""
    for path in outputs:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    _, spawns = app_workspace.build_logged(app, [target], _FLAGS)
    compiles = [spawn for spawn in execution_log.compiles(spawns) if not spawn.cached]
    assert {spawn.runner for spawn in compiles} == {_SANDBOX}
    return {output for spawn in compiles for output in spawn.outputs if output.endswith(".o")}


def test_the_apps_sources_compile_in_the_sandbox(app: Workspace) -> None:
    """Units, a hot unit, a helper source, overrides, the custom op and the table of registrations."""
    outputs = [*app.execution_root().glob("bazel-out/*/bin/_*objs/tensorflow")]
    objects = _compiled_again(app, "//:tensorflow", outputs)
    names = {Path(file).name.partition(".")[0].rpartition("__")[2] for file in objects}
    assert names >= {"app_scale", "fill_functor", "manifest", "math_ops", "matmul_op_real"}


@pytest.mark.parametrize("target", extent.some(["//inputs:shared", "//inputs:library"]))
def test_sources_of_each_kind_compile_in_the_sandbox(app: Workspace, target: str) -> None:
    files = _files(app, target)
    root = app.execution_root()
    outputs = [*(root / file for file in files), *root.glob("bazel-out/*/bin/inputs")]
    objects = _compiled_again(app, target, outputs)
    assert {file for file in files if file.endswith(".o")} <= objects


def test_undeclared_header_is_not_found(app: Workspace) -> None:
    """The control: a compiler that runs in the app's folder finds it."""
    with pytest.raises(BuildError, match=r"undeclared\.h: No such file"):
        app.build(["//inputs:undeclared"])
    compile_it = ["g++", "-fsyntax-only", "-I.", "inputs/undeclared.cc"]
    subprocess.run(compile_it, cwd=app.folder, check=True)
