"""Builds in an app's workspace, as a user of tfcarve does.

The app is copied into the user's cache, to the same place each time: so Bazel keeps
what it built there, and the folder it came from stays as it is.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo import build_events

_LOCAL_PATH = 'path = "../../.."'
# For builds whose commands are run again by hand: what they read is else often in the disk cache alone.
ALL_OUTPUTS = "--remote_download_outputs=all"
# The files that name tfcarve's place.
_MODULE_FILES = ("MODULE.bazel", "WORKSPACE")
_PASSED_ON = ("HOME", "LANG", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER", "XDG_CACHE_HOME")


class NestedError(Exception):
    """What the user did or has is not what is needed here; the message says what."""


class BuildError(Exception):
    """Bazel could not build what it was asked for; the message is Bazel's."""


def cache_folder() -> Path:
    """tfcarve's part of the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "tfcarve"


def source_tree() -> Path:
    """The checkout of tfcarve that this program runs from."""
    bazelw = os.environ.get("TFCARVE_BAZELW")
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    root = Path(bazelw).resolve().parent if bazelw else Path(workspace or "")
    if not (root / "bazelw").is_file():
        raise NestedError("run it by ./bazelw, which tells it where tfcarve's sources are")
    return root


@dataclass(frozen=True)
class Build:
    """What a build made and said."""

    outputs: build_events.Outputs
    log: str

    def files(self, target: str, group: str = "default") -> tuple[Path, ...]:
        """The files of an output group of a target."""
        return self.outputs.get((target, group), ())


def _require_success(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise BuildError(done.stdout.strip() or f"bazel exited with {done.returncode}")


@dataclass(frozen=True)
class Workspace:
    """A copy of an app, and the bazelw that builds it."""

    folder: Path
    bazelw: Path

    def bazel(
        self,
        arguments: Sequence[str],
        *,
        progress: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs bazelw in the workspace; its words go to the terminal if `progress`."""
        return subprocess.run(
            [str(self.bazelw), *arguments],
            cwd=self.folder,
            env=_outer_environment() | dict(environment or {}),
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=None if progress else subprocess.STDOUT,
        )

    def build(
        self, targets: Sequence[str], flags: Sequence[str] = (), *, progress: bool = False
    ) -> Build:
        """Builds targets.

        Raises:
            BuildError: with what Bazel said, where it was not on the terminal already.
        """
        events = self.folder.parent / f"{self.folder.name}.events.json"
        events.unlink(missing_ok=True)
        quiet = ["--ui_event_filters=-info,-debug"] if progress else ["--noshow_progress"]
        done = self.bazel(
            ["build", *quiet, *flags, f"--build_event_json_file={events}", "--", *targets],
            progress=progress,
        )
        _require_success(done)
        with events.open(encoding="utf-8") as lines:
            return Build(build_events.outputs(lines), done.stdout)

    def execution_root(self) -> Path:
        """Returns the folder that the commands of actions run in; raises BuildError with what Bazel said."""
        done = self.bazel(["info", "--ui_event_filters=-info", "execution_root"])
        _require_success(done)
        return Path(done.stdout.strip())

    def actions(self, query: str, flags: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Returns the actions that aquery finds, as its jsonproto form has them: `mnemonic`, `arguments`.

        Raises:
            BuildError: with what Bazel said.
        """
        quiet = ["--noshow_progress", "--ui_event_filters=-info,-debug,-warning"]
        done = self.bazel(["aquery", "--output=jsonproto", *quiet, *flags, query])
        _require_success(done)
        answer = json.loads(done.stdout[done.stdout.index("{") :])
        found: list[dict[str, Any]] = answer.get("actions", [])
        return found

    def place(self, folder: str, files: Mapping[str, Path], pattern: str) -> None:
        """Makes `files` the only ones in `folder` that match `pattern`.

        A file that is there already with the same content is left alone, so that Bazel
        need not read it again.
        """
        target = self.folder / folder
        for stale in target.glob(pattern):
            if stale.name not in files:
                stale.unlink()
        for name, source in files.items():
            _copy(source, target / name)


def _outer_environment() -> dict[str, str]:
    """This process's environment without what Bazel and the launcher put into it."""
    return {name: value for name, value in os.environ.items() if _is_passed_on(name)}


def _is_passed_on(name: str) -> bool:
    """The user's own settings, those of how to reach a network among them."""
    return (
        name in _PASSED_ON
        or name.startswith(("LC_", "PIP_", "SSL_", "TFCARVE_"))
        or name.lower().endswith("_proxy")
    )


def _same(one: Path, other: Path) -> bool:
    if not other.is_file() or one.stat().st_size != other.stat().st_size:
        return False
    return other.stat().st_mtime_ns == one.stat().st_mtime_ns or _bytes_equal(one, other)


def _bytes_equal(one: Path, other: Path) -> bool:
    chunk = 1 << 20
    with one.open("rb") as a, other.open("rb") as b:
        while True:
            block = a.read(chunk)
            if block != b.read(chunk):
                return False
            if not block:
                return True


def _copy(source: Path, target: Path) -> None:
    if _same(source, target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    shutil.copy2(source, partial)
    partial.replace(target)


def _write(target: Path, text: str) -> None:
    if not (target.is_file() and target.read_text(encoding="utf-8") == text):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def module_file(text: str, tfcarve: Path) -> str:
    """An app's MODULE.bazel or WORKSPACE with the path to tfcarve that holds for a copy of the app."""
    if _LOCAL_PATH not in text:
        raise NestedError(f"the app's MODULE.bazel or WORKSPACE has no `{_LOCAL_PATH}` to replace")
    quoted = str(tfcarve).replace("\\", "\\\\").replace('"', '\\"')
    return text.replace(_LOCAL_PATH, f'path = "{quoted}"')


_open_here: set[Path] = set()


@contextmanager
def opened(app: Path, name: str) -> Iterator[Workspace]:
    """A copy of `app` that no other process uses meanwhile.

    Raises NestedError where this process has it open: it would wait for itself for ever.
    """
    tfcarve = source_tree()
    folder = cache_folder() / "e2e" / name
    if folder in _open_here:
        raise NestedError(f"{folder} is open already")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another process that builds in {folder}", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        _mirror(app, folder, tfcarve)
        _open_here.add(folder)
        try:
            yield Workspace(folder, tfcarve / "bazelw")
        finally:
            _open_here.remove(folder)


def _mirror(app: Path, folder: Path, tfcarve: Path) -> None:
    present = {file.relative_to(folder) for file in _own_files(folder)}
    wanted = {file.relative_to(app) for file in _own_files(app)}
    for stale in present - wanted:
        if stale.suffix != ".pb":  # those are placed here
            (folder / stale).unlink()
    for relative in sorted(wanted):
        if relative.name in _MODULE_FILES:
            text = (app / relative).read_text(encoding="utf-8")
            _write(folder / relative, module_file(text, tfcarve))
        else:
            _copy(app / relative, folder / relative)


def _own_files(folder: Path) -> Iterator[Path]:
    """The files of a workspace but for those that Bazel makes in it."""
    for file in folder.rglob("*"):
        by_bazel = file.relative_to(folder).parts[0].startswith("bazel-")
        if file.is_file() and not by_bazel and file.name != "MODULE.bazel.lock":
            yield file
