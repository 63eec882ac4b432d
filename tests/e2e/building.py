"""What the end-to-end tests share: an open app, and builds whose actions are counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from demo import library as libraries
from demo import made_models, nested
from demo.inception import APP, RELEASE
from demo.made_models import MadeModel
from demo.nested import Build, Workspace
from e2e import exec_log
from e2e.exec_log import Spawn

# Platforms that the demo does not build for.
_RELEASES = {"linux_armv7": "//inception:release_armv7"}


@dataclass(frozen=True)
class Counted:
    """A build and the C++ compiles that it did."""

    build: Build
    compiles: tuple[Spawn, ...]

    def sources(self) -> set[str]:
        """What was compiled, by name."""
        return {spawn.source for spawn in self.compiles}


@contextmanager
def app() -> Iterator[Workspace]:
    """The app, for this process alone."""
    with nested.opened(nested.source_tree() / APP, "app") as workspace:
        yield workspace


def use_models(workspace: Workspace, models: Sequence[MadeModel]) -> None:
    """Makes these the models that //inception is carved for."""
    workspace.place("inception", {made.model.name: made.model for made in models}, "*.pb")


def counted(workspace: Workspace, targets: Sequence[str], flags: Sequence[str] = ()) -> Counted:
    """Builds targets and counts what that took."""
    log = workspace.folder.parent / f"{workspace.folder.name}.actions.json"
    log.unlink(missing_ok=True)
    build = workspace.build(targets, [*flags, f"--execution_log_json_file={log}"])
    return Counted(build, tuple(exec_log.compiles(log.read_text(encoding="utf-8"))))


def library(workspace: Workspace, platform: str) -> libraries.Library:
    """Inception's library for a platform."""
    return libraries.build(workspace, _RELEASES.get(platform, RELEASE), platform)


def units(workspace: Workspace) -> dict[str, bytes]:
    """The generated sources of Inception's library for the host, by name."""
    build = workspace.build(["//inception:inception"], ["--output_groups=units"])
    files = [f for path in build.files("//inception:inception", "units") for f in _walk(path)]
    return {file.name.partition(".")[0]: file.read_bytes() for file in files}


def _walk(path: Path) -> list[Path]:
    return sorted(path.rglob("*.cc")) if path.is_dir() else [path]


def model(name: str) -> MadeModel:
    """A model of the zoo."""
    return made_models.made(name)
