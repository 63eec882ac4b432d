"""Each compile of a library has all its inputs: with Bazel's default settings, it runs in a sandbox that has no other files."""

from __future__ import annotations

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


@pytest.mark.parametrize("target", ["//inputs:shared", "//inputs:library"])
def test_sources_of_each_kind_compile_in_the_sandbox(app: Workspace, target: str) -> None:
    build, spawns = app_workspace.build_logged(app, [target], _FLAGS)
    assert build.files(target)
    ran = {spawn.runner for spawn in execution_log.compiles(spawns) if not spawn.cached}
    assert ran <= {_SANDBOX}


def test_undeclared_header_is_not_found(app: Workspace) -> None:
    """The control: a compiler that runs in the app's folder finds it."""
    with pytest.raises(BuildError, match=r"undeclared\.h: No such file"):
        app.build(["//inputs:undeclared"])
    compile_it = ["g++", "-fsyntax-only", "-I.", "inputs/undeclared.cc"]
    subprocess.run(compile_it, cwd=app.folder, check=True)
