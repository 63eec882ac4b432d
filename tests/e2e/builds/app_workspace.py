"""The nested app of the end-to-end tests: opening it, and builds whose compiles are counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from demo import cached_models, nested
from demo.cached_models import CachedModel
from demo.inception import APP
from e2e.builds import execution_log
from e2e.builds.execution_log import Spawn
from tfcarve.app.workspace import Build, Workspace

# Flags that compile everything by clang, and the name of the copy of the app whose builds have them.
CLANG = ("--repo_env=CC=clang-19", "--repo_env=TFCARVE_CROSS_COMPILER=clang++-19")
CLANG_WORKSPACE = "clang"


@dataclass(frozen=True)
class Counted:
    """A build and the C++ compiles that it ran."""

    build: Build
    compiles: tuple[Spawn, ...]

    def sources(self) -> set[str]:
        """The names of the compiled sources."""
        return {spawn.source for spawn in self.compiles}


@contextmanager
def opened(name: str = "app") -> Iterator[Workspace]:
    """Yields a copy of the app, locked against other processes; copies with other names have their own Bazel server."""
    with nested.opened(nested.source_tree() / APP, name) as workspace:
        yield workspace


def write_graphs(graphs: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    """Writes GraphDefs, given by name, to NAME.pb in a folder; returns the files by their names."""
    files = {f"{name}.pb": folder / f"{name}.pb" for name in graphs}
    for file, graph in zip(files.values(), graphs.values(), strict=True):
        file.write_bytes(graph.SerializeToString(deterministic=True))
    return files


def use_models(workspace: Workspace, models: Sequence[CachedModel]) -> None:
    """Makes these the models that //inception is carved for."""
    workspace.place("inception", {one.model.name: one.model for one in models}, "*.pb")


def build_logged(
    workspace: Workspace,
    targets: Sequence[str],
    flags: Sequence[str] = (),
    *,
    progress: bool = False,
) -> tuple[Build, list[Spawn]]:
    """Builds targets; returns the build and the commands that Bazel ran."""
    log = workspace.folder.parent / f"{workspace.folder.name}.actions.json"
    log.unlink(missing_ok=True)
    build = workspace.build(
        targets, [*flags, f"--execution_log_json_file={log}"], progress=progress
    )
    return build, list(execution_log.spawns(log.read_text(encoding="utf-8")))


def count_compiles(
    workspace: Workspace, targets: Sequence[str], flags: Sequence[str] = ()
) -> Counted:
    """Builds targets and counts the compiles."""
    build, spawns = build_logged(workspace, targets, flags)
    return Counted(build, tuple(execution_log.compiles(spawns)))


def units(workspace: Workspace, target: str) -> dict[str, bytes]:
    """Returns the units of a library for the host, by name."""
    build = workspace.build([target], ["--output_groups=units"])
    files = [f for path in build.files(target, "units") for f in _walk(path)]
    return {file.name.partition(".")[0]: file.read_bytes() for file in files}


def _walk(path: Path) -> list[Path]:
    return sorted(path.rglob("*.cc")) if path.is_dir() else [path]


def model(name: str) -> CachedModel:
    """Returns a model of the zoo."""
    return cached_models.load(name)
