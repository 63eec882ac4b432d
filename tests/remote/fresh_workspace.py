"""A workspace that has built nothing, and what builds in it run and create."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from demo import nested
from demo.inception import APP
from e2e.builds import app_workspace
from e2e.builds.execution_log import Spawn
from tfcarve.app.workspace import Workspace

# docs/how-to/remote.md shows them. The apps have no .bazelrc of their own.
_CONFIGURATIONS = "tests/remote/remote.bazelrc"


@dataclass(frozen=True)
class Built:
    """The commands of a build, its files, and their digests by their paths in the folder of outputs."""

    spawns: Sequence[Spawn]
    files: Sequence[Path]
    digests: Mapping[str, str]


@contextmanager
def opened(app: str | Path = APP) -> Iterator[Workspace]:
    """Yields a copy of an app of the checkout with the documented configurations, without outputs of earlier builds."""
    with nested.opened(nested.source_tree() / app, "remote") as workspace:
        configurations = (nested.source_tree() / _CONFIGURATIONS).read_text(encoding="utf-8")
        (workspace.folder / ".bazelrc").write_text(configurations, encoding="utf-8")
        # BuildGrid knows no other one.
        workspace = replace(workspace, startup=("--digest_function=sha256",))
        workspace.bazel(["clean"])
        yield workspace


@contextmanager
def another_user(folder: Path) -> Iterator[None]:
    """Until it ends, builds are those of another user in another checkout, who has other caches."""
    tree = folder / "home" / "checkout"
    ignored = shutil.ignore_patterns(".git", "bazel-*", "__pycache__")
    shutil.copytree(nested.source_tree(), tree, ignore=ignored)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TFCARVE_BAZELW", str(tree / "bazelw"))
        patch.setenv("HOME", str(folder / "home"))
        patch.setenv("XDG_CACHE_HOME", str(folder / "home" / "cache"))
        yield


def build(workspace: Workspace, targets: Sequence[str], flags: Sequence[str]) -> Built:
    """Builds targets without the disk cache; raises BuildError."""
    built, spawns = app_workspace.build_logged(workspace, targets, ["--disk_cache=", *flags])
    files = sorted({file for found in built.outputs.values() for file in found})
    assert files
    digests = {
        str(file).partition("/bazel-out/")[2]: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }
    return Built(spawns, files, digests)
