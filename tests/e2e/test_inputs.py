"""Each compile of a library has all its inputs: with Bazel's default settings, it runs in a sandbox that has no other files."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest

from demo.nested import BuildError, Workspace
from e2e.builds import app_workspace, execution_log

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


@pytest.mark.parametrize("target", ["//inputs:shared", "//inputs:library"])
def test_sources_of_each_kind_compile_in_the_sandbox(app: Workspace, target: str) -> None:
    """Outputs of earlier builds are removed, so Bazel compiles the sources again."""
    files = _files(app, target)
    root = app.execution_root()
    for file in files:
        (root / file).unlink(missing_ok=True)
    for folder in root.glob("bazel-out/*/bin/inputs"):
        shutil.rmtree(folder)
    _, spawns = app_workspace.build_logged(app, [target], _FLAGS)
    compiles = [spawn for spawn in execution_log.compiles(spawns) if not spawn.cached]
    assert {spawn.runner for spawn in compiles} == {_SANDBOX}
    objects = {file for file in files if file.endswith(".o")}
    assert objects <= {output for spawn in compiles for output in spawn.outputs}


def test_undeclared_header_is_not_found(app: Workspace) -> None:
    """The control: a compiler that runs in the app's folder finds it."""
    with pytest.raises(BuildError, match=r"undeclared\.h: No such file"):
        app.build(["//inputs:undeclared"])
    compile_it = ["g++", "-fsyntax-only", "-I.", "inputs/undeclared.cc"]
    subprocess.run(compile_it, cwd=app.folder, check=True)
