"""An app of examples/ in a workspace of its own, its programs for each platform, and how to run them here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from demo import nested
from demo.library import EMULATORS
from tfcarve.app.workspace import Workspace

# The checkout of tfcarve.
SOURCES = nested.source_tree()
PLATFORMS = ("linux_x86_64", "linux_arm64", "linux_armv7")


@dataclass(frozen=True)
class Example:
    """The open workspace of an app."""

    workspace: Workspace

    @property
    def folder(self) -> Path:
        """The root of the workspace."""
        return self.workspace.folder

    def python(self, script: str, *words: str | Path) -> str:
        """Runs a script of the app in the environment of the tests, with full TensorFlow; returns its output."""
        command = [sys.executable, script, *map(str, words)]
        return subprocess.run(
            command, cwd=self.folder, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    def built(self, target: str, platform: str) -> Path:
        """Builds a target with one output for a platform; the file may change when the next target is built."""
        flag = f"--platforms=@tfcarve//rules/platforms:{platform}"
        (file,) = self.workspace.build([target], [flag]).files(target)
        return file

    def copied(self, target: str, platform: str, folder: Path) -> Path:
        """Builds a target with one output for a platform, and copies the output to a folder."""
        return Path(shutil.copy(self.built(target, platform), folder))


@contextmanager
def opened(name: str) -> Iterator[Example]:
    """Yields a copy of the app examples/NAME."""
    with nested.opened(SOURCES / "examples" / name, name) as workspace:
        yield Example(workspace)


def run(program: Path, platform: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program, under qemu if it is for another CPU; the caller checks its exit status."""
    command = [*EMULATORS[platform], str(program), *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)
