"""Nested workspaces: the copy of an app in the user's cache, its lock, and builds in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bootstrap.cache import cache_root
from demo import nested
from demo.nested import NestedError
from tfcarve.app.workspace import Build, BuildError, Workspace

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
    monkeypatch.setenv("RUNFILES_DIR", "set by the test")
    folder = tmp_path / "app"
    (folder / "sub").mkdir(parents=True)
    (folder / "MODULE.bazel").write_text(MODULE)
    (folder / "sub/BUILD").write_text("# one")
    (folder / "bazel-out").mkdir()
    (folder / "bazel-out/big").write_text("")
    return folder


def _files(workspace: Workspace) -> set[str]:
    return {str(f.relative_to(workspace.folder)) for f in nested._own_files(workspace.folder)}


def test_copy_has_the_apps_files_and_the_path_to_tfcarve(app: Path) -> None:
    with nested.opened(app, "x") as workspace:
        assert _files(workspace) == {"MODULE.bazel", "sub/BUILD"}
        module = (workspace.folder / "MODULE.bazel").read_text()
        assert f'path = "{app.parent}/tf carve"' in module


def test_copy_of_an_app_with_workspace_file(app: Path) -> None:
    (app / "MODULE.bazel").rename(app / "WORKSPACE")
    with nested.opened(app, "x") as workspace:
        assert f'path = "{app.parent}/tf carve"' in (workspace.folder / "WORKSPACE").read_text()


def _written(file: Path) -> tuple[int, int]:
    """Returns the inode and the time at which the file was written, in nanoseconds."""
    status = file.stat()
    return status.st_ino, status.st_mtime_ns


def test_copy_follows_the_app_and_rewrites_no_equal_file(app: Path) -> None:
    with nested.opened(app, "x") as workspace:
        workspace.place("sub", {"m.pb": app / "sub/BUILD"}, "*.pb")
        before = _written(workspace.folder / "MODULE.bazel")
    (app / "sub/BUILD").unlink()
    (app / "BUILD").write_text("# two")
    with nested.opened(app, "x") as workspace:
        assert _files(workspace) == {"BUILD", "MODULE.bazel", "sub/m.pb"}
        assert _written(workspace.folder / "MODULE.bazel") == before


def test_placed_files_replace_others(app: Path, tmp_path: Path) -> None:
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


def test_failed_build_has_bazels_output(app: Path) -> None:
    with nested.opened(app, "x") as workspace, pytest.raises(BuildError) as caught:
        workspace.build(["//:x"])
    message = str(caught.value)
    assert message.startswith(
        f"bazelw in {workspace.folder}:  --noblock_for_lock build --noshow_progress"
    )
    assert "set by the test" not in message, "a nested Bazel does not inherit it"


def test_module_without_the_path_to_replace() -> None:
    with pytest.raises(NestedError, match=r"MODULE\.bazel or WORKSPACE has no"):
        nested.module_file("module()", Path("/x"))


def test_run_without_bazelw(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TFCARVE_BAZELW", raising=False)
    monkeypatch.delenv("BUILD_WORKSPACE_DIRECTORY", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NestedError, match=r"run it with \./bazelw run"):
        nested.source_tree()


def _is_locked() -> bool:
    lock = str(cache_root() / "e2e/x.lock")
    return subprocess.run(["flock", "--nonblock", lock, "true"], check=False).returncode == 1


def _wait_for(file: Path) -> None:
    for _ in range(600):
        if file.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{file.name} did not appear")


def _write_bazelw(app: Path, script: str) -> None:
    bazelw = app.parent / "tf carve/bazelw"
    bazelw.unlink()  # A shell may still read it.
    bazelw.write_text(f"#!/bin/sh\n{script}\n")
    bazelw.chmod(0o755)


_USE = """
import sys
from pathlib import Path
from bootstrap.cache import cache_root
from demo import nested
with nested.opened(Path(sys.argv[1]), "x") as workspace:
    print(workspace.bazel(sys.argv[2:]).stdout, end="", flush=True)
"""


def _start(app: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts another process that uses the workspace."""
    return subprocess.Popen(
        [sys.executable, "-c", _USE, str(app), *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_lock_is_held_for_one_use(app: Path) -> None:
    with nested.opened(app, "x"):
        assert _is_locked()
    assert not _is_locked()


def test_second_process_waits_and_says_for_whom(app: Path) -> None:
    _write_bazelw(app, 'echo "second: $*"')
    with nested.opened(app, "x"):
        second = _start(app, "build")
        assert second.stderr is not None
        message = second.stderr.readline()
        assert message == (
            f"waiting for {cache_root()}/e2e/x, which is in use by "
            f"process {os.getpid()} of {app.parent}/tf carve\n"
        )
        assert second.poll() is None
    assert second.communicate(timeout=60) == ("second: --noblock_for_lock build\n", "")


def test_lock_outlives_a_killed_process_until_its_command_ends(app: Path, tmp_path: Path) -> None:
    """As when a test is killed for taking too long, and Bazel still builds in the workspace."""
    started, may_end = tmp_path / "started", tmp_path / "may end"
    _write_bazelw(app, f'touch "{started}"; while [ ! -e "{may_end}" ]; do sleep 0.05; done')
    first = _start(app)
    _wait_for(started)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert _is_locked()
    _write_bazelw(app, "echo second")
    second = _start(app)
    assert second.stderr is not None
    assert second.stderr.readline().startswith("waiting for ")
    may_end.touch()
    assert second.communicate(timeout=60)[0] == "second\n"


def test_lock_is_not_inherited_by_bazels_server(app: Path, tmp_path: Path) -> None:
    # Descriptor 3, because a shell starts programs in the background without its standard input.
    _write_bazelw(app, f'exec 3<&0; sleep 600 >"{tmp_path}/log" 2>&1 & echo $!')
    with nested.opened(app, "x") as workspace:
        server = int(workspace.bazel([]).stdout)
    try:
        assert not _is_locked()
        os.kill(server, 0)  # The control: it still runs.
    finally:
        os.kill(server, signal.SIGKILL)


@pytest.mark.parametrize(("lost", "status", "runs"), [(0, 0, 1), (1, 0, 2), (2, 37, 2)])
def test_command_runs_again_once_if_the_server_is_lost(
    app: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    lost: int,
    status: int,
    runs: int,
) -> None:
    log = tmp_path / "runs"
    _write_bazelw(app, f'echo "$*" >>"{log}"; [ $(wc -l <"{log}") -gt {lost} ] || exit 37')
    with nested.opened(app, "x") as workspace:
        assert workspace.bazel(["build", "//a b"]).returncode == status
    assert log.read_text() == "--noblock_for_lock build //a b\n" + "build //a b\n" * (runs - 1)
    assert ("ended; running the command again" in capsys.readouterr().err) == (runs == 2)


def test_other_failures_are_not_repeated(app: Path, tmp_path: Path) -> None:
    log = tmp_path / "runs"
    _write_bazelw(app, f'echo "$*" >>"{log}"; exit 1')
    with nested.opened(app, "x") as workspace:
        assert workspace.bazel(["build"]).returncode == 1
    assert log.read_text() == "--noblock_for_lock build\n"


def test_files_of_a_build_by_their_names() -> None:
    one, two, library = Path("a/one"), Path("b/one"), Path("b/lib.so")
    build = Build({("//:x", "default"): (one,), ("//:x", "programs"): (two, library)}, "")
    assert build.named("//:x") == {"one": one}
    assert build.named("//:x", "programs") == {"one": two, "lib.so": library}
    assert build.named("//:x", "programs", "default") == {"one": one, "lib.so": library}
    assert build.named("//:y") == {}
