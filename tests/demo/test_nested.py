"""The copy of an app in the user's cache."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from demo import nested
from demo.nested import BuildError, NestedError, Workspace

MODULE = 'local_path_override(\n    path = "../../..",\n)\n'


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An app, a tfcarve whose bazelw always fails, and an empty cache."""
    tfcarve = tmp_path / "tf carve"
    tfcarve.mkdir()
    bazelw = tfcarve / "bazelw"
    bazelw.write_text('#!/bin/sh\necho "bazelw in $PWD: $RUNFILES_DIR $*"\nexit 7\n')
    bazelw.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TFCARVE_BAZELW", str(bazelw))
    monkeypatch.setenv("RUNFILES_DIR", "of the test")
    folder = tmp_path / "app"
    (folder / "sub").mkdir(parents=True)
    (folder / "MODULE.bazel").write_text(MODULE)
    (folder / "sub/BUILD").write_text("# one")
    (folder / "bazel-out").mkdir()
    (folder / "bazel-out/big").write_text("")
    return folder


def _files(workspace: Workspace) -> set[str]:
    return {str(f.relative_to(workspace.folder)) for f in nested._own_files(workspace.folder)}


def test_copy_has_the_apps_files_and_finds_tfcarve(app: Path) -> None:
    with nested.opened(app, "x") as workspace:
        assert _files(workspace) == {"MODULE.bazel", "sub/BUILD"}
        module = (workspace.folder / "MODULE.bazel").read_text()
        assert f'path = "{app.parent}/tf carve"' in module


def test_copy_of_an_app_without_modules(app: Path) -> None:
    (app / "MODULE.bazel").rename(app / "WORKSPACE")
    with nested.opened(app, "x") as workspace:
        assert f'path = "{app.parent}/tf carve"' in (workspace.folder / "WORKSPACE").read_text()


def test_copy_follows_the_app_and_leaves_what_is_the_same(app: Path) -> None:
    with nested.opened(app, "x") as workspace:
        workspace.place("sub", {"m.pb": app / "sub/BUILD"}, "*.pb")
        before = (workspace.folder / "MODULE.bazel").stat()
    (app / "sub/BUILD").unlink()
    (app / "BUILD").write_text("# two")
    with nested.opened(app, "x") as workspace:
        assert _files(workspace) == {"BUILD", "MODULE.bazel", "sub/m.pb"}
        assert (workspace.folder / "MODULE.bazel").stat() == before


def test_placed_files_are_the_only_ones(app: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.pb", tmp_path / "two.pb"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    with nested.opened(app, "x") as workspace:
        workspace.place("sub", {"one.pb": one, "two.pb": two}, "*.pb")
        inode = (workspace.folder / "sub/one.pb").stat().st_ino
        workspace.place("sub", {"one.pb": one}, "*.pb")
        assert _files(workspace) == {"MODULE.bazel", "sub/BUILD", "sub/one.pb"}
        assert (workspace.folder / "sub/one.pb").stat().st_ino == inode
        os.utime(two, ns=(0, 0))
        workspace.place("sub", {"one.pb": two}, "*.pb")
        assert (workspace.folder / "sub/one.pb").read_bytes() == b"2"


def test_failed_build_tells_what_bazel_said(app: Path) -> None:
    with nested.opened(app, "x") as workspace, pytest.raises(BuildError) as caught:
        workspace.build(["//:x"])
    said = str(caught.value)
    assert said.startswith(f"bazelw in {workspace.folder}:  build --noshow_progress")
    assert "of the test" not in said, "a nested Bazel has an environment of its own"


def test_module_without_the_path_to_replace() -> None:
    with pytest.raises(NestedError, match=r"MODULE\.bazel or WORKSPACE has no"):
        nested.module_file("module()", Path("/x"))


def test_not_run_by_bazelw(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TFCARVE_BAZELW", raising=False)
    monkeypatch.delenv("BUILD_WORKSPACE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NestedError, match=r"run it by \./bazelw"):
        nested.source_tree()


def test_second_process_waits(app: Path) -> None:
    lock = nested.cache_folder() / "e2e/x.lock"
    with nested.opened(app, "x"):
        taken = subprocess.run(["flock", "--nonblock", str(lock), "true"], check=False)
    free = subprocess.run(["flock", "--nonblock", str(lock), "true"], check=False)
    assert (taken.returncode, free.returncode) == (1, 0)
