"""A Bazel workspace in a folder that tfcarve writes, and builds in it."""

from __future__ import annotations

import fcntl
import gzip
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

from tfcarve.app import build_events

# For builds whose commands a caller runs again: without the flag, their inputs may exist only in the disk cache.
ALL_OUTPUTS = "--remote_download_outputs=all"
# Bazel's exit status if another command runs in its workspace, with --noblock_for_lock: "Another command (pid=…) is running".
_IN_USE = 9
# Bazel's exit status if its server crashed or was killed: "Server terminated abruptly … Socket closed".
_SERVER_LOST = 37
# Runs a command while standard input, the lock, stays open in the shell: if the process that holds the lock is killed,
# the lock lasts until the command ends. Bazel itself does not get the lock, because its server would keep it.
_HOLDING_LOCK = '"$@" </dev/null; exit $?'
_INHERITED = ("HOME", "LANG", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER", "XDG_CACHE_HOME")


class BuildError(Exception):
    """A build failed; the message is Bazel's output."""


@dataclass(frozen=True)
class Build:
    """The output files and the log of a build."""

    outputs: build_events.Outputs
    log: str

    def files(self, target: str, group: str = "default") -> tuple[Path, ...]:
        """Returns the files of an output group of a target."""
        return self.outputs.get((target, group), ())

    def named(self, target: str, *groups: str) -> dict[str, Path]:
        """Returns the files of output groups of a target by their names; those of `default` if no group is given. The last of equal names counts."""
        found = (self.files(target, group) for group in groups or ("default",))
        return {file.name: file for files in found for file in files}


def _require_success(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise BuildError(done.stdout.strip() or f"bazel exited with {done.returncode}")


@dataclass(frozen=True)
class Workspace:
    """A copy of an app.

    Attributes:
      folder: where it is.
      bazelw: the program that builds it.
      lock: descriptor of the lock that this process holds on it.
      startup: startup options of Bazel.
    """

    folder: Path
    bazelw: Path
    lock: int
    startup: Sequence[str] = ()

    def bazel(
        self,
        arguments: Sequence[str],
        *,
        progress: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs bazelw in the workspace; with `progress`, its messages go to the terminal.

        It waits for a Bazel that somebody runs in the workspace without the lock. If Bazel's server was killed, as the
        system does when memory runs out, the command runs again.
        """
        done = self._run(["--noblock_for_lock", *arguments], progress, environment or {})
        if done.returncode == _IN_USE:
            print(f"waiting for another Bazel that runs in {self.folder}", file=sys.stderr)
            done = self._run(arguments, progress, environment or {})
        if done.returncode == _SERVER_LOST:
            print(
                f"Bazel's server for {self.folder} ended; running the command again",
                file=sys.stderr,
            )
            done = self._run(arguments, progress, environment or {})
        return done

    def _run(
        self, arguments: Sequence[str], progress: bool, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", _HOLDING_LOCK, "sh", str(self.bazelw), *self.startup, *arguments],
            cwd=self.folder,
            env=_outer_environment() | dict(environment),
            check=False,
            text=True,
            stdin=self.lock,
            stdout=subprocess.PIPE,
            stderr=None if progress else subprocess.STDOUT,
        )

    def build(
        self, targets: Sequence[str], flags: Sequence[str] = (), *, progress: bool = False
    ) -> Build:
        """Builds targets.

        Raises:
            BuildError: the build failed; has Bazel's output unless it went to the terminal.
        """
        events = self.folder.parent / f"{self.folder.name}.events.json"
        events.unlink(missing_ok=True)
        self._profile.unlink(missing_ok=True)
        quiet = ["--ui_event_filters=-info,-debug"] if progress else ["--noshow_progress"]
        done = self.bazel(
            [
                *("build", *quiet, *flags, f"--build_event_json_file={events}"),
                *(f"--profile={self._profile}", "--", *targets),
            ],
            progress=progress,
        )
        _require_success(done)
        with events.open(encoding="utf-8") as lines:
            return Build(build_events.outputs(lines), done.stdout)

    @property
    def _profile(self) -> Path:
        return self.folder.parent / f"{self.folder.name}.profile.gz"

    def trace_events(self) -> list[dict[str, Any]]:
        """Returns the events of Bazel's profile of the last build; none if there is no profile."""
        if not self._profile.is_file():
            return []
        with gzip.open(self._profile, "rt", encoding="utf-8") as stream:
            events: list[dict[str, Any]] = json.load(stream)["traceEvents"]
        return events

    def execution_root(self) -> Path:
        """Returns the folder in which the commands of actions run; raises BuildError."""
        done = self.bazel(["info", "--ui_event_filters=-info", "execution_root"])
        _require_success(done)
        # A client that starts the server says so first.
        return Path(done.stdout.strip().splitlines()[-1])

    def actions(self, query: str, flags: Sequence[str] = ()) -> list[dict[str, Any]]:
        """Returns the actions that aquery finds, in its jsonproto form: `mnemonic`, `arguments`.

        Raises:
            BuildError: the query failed.
        """
        # Without inputs and outputs, which are most of the answer.
        output = ["--output=jsonproto", "--noinclude_artifacts"]
        quiet = ["--noshow_progress", "--ui_event_filters=-info,-debug,-warning"]
        done = self.bazel(["aquery", *output, *quiet, *flags, query])
        _require_success(done)
        answer = json.loads(done.stdout[done.stdout.index("{") :])
        found: list[dict[str, Any]] = answer.get("actions", [])
        return found

    def place(self, folder: str, files: Mapping[str, Path], pattern: str) -> None:
        """Makes `files` the only files in `folder` that match `pattern`.

        A file with the same content is not written again, so Bazel does not read it again.
        """
        target = self.folder / folder
        for stale in target.glob(pattern):
            if stale.name not in files:
                stale.unlink()
        for name, source in files.items():
            copy(source, target / name)


def _outer_environment() -> dict[str, str]:
    """The environment without the variables that Bazel and the launcher of the program set."""
    return {name: value for name, value in os.environ.items() if _is_inherited(name)}


def _is_inherited(name: str) -> bool:
    """Whether a variable is a setting of the user, such as a proxy."""
    return (
        name in _INHERITED
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


def copy(source: Path, target: Path) -> None:
    """Copies a file, unless the target has the same content: Bazel then does not read it again."""
    if _same(source, target):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    shutil.copy2(source, partial)
    partial.replace(target)


@contextmanager
def locked(folder: Path, holder: str) -> Iterator[int]:
    """Holds the lock of a folder, in a file that names the holder; yields its descriptor."""
    with (folder.parent / f"{folder.name}.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            print(
                f"waiting for {folder}, which is in use by {file.read().strip()}", file=sys.stderr
            )
            fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write(f"{holder}\n")
        file.flush()
        yield file.fileno()
