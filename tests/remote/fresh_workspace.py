"""A workspace that has built nothing, and what builds in it run and create."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from demo import nested
from demo.inception import APP
from demo.nested import Workspace
from e2e import execution_log
from e2e.execution_log import Spawn


@dataclass(frozen=True)
class Built:
    """The commands of a build, and the digests of its files by their names."""

    spawns: Sequence[Spawn]
    digests: Mapping[str, str]


@contextmanager
def opened(app: Path | None = None) -> Iterator[Workspace]:
    """Yields a copy of an app, by default this checkout's, without outputs of earlier builds."""
    with nested.opened(app or nested.source_tree() / APP, "remote") as workspace:
        workspace.bazel(["clean"])
        yield workspace


def build(workspace: Workspace, targets: Sequence[str], flags: Sequence[str]) -> Built:
    """Builds targets without the disk cache; raises BuildError."""
    log = workspace.folder.parent / f"{workspace.folder.name}.spawns.json"
    log.unlink(missing_ok=True)
    options = ["--disk_cache=", *flags, f"--execution_log_json_file={log}"]
    outputs = workspace.build(targets, options).outputs
    files = {file.name: file for found in outputs.values() for file in found}
    assert files
    digests = {name: hashlib.sha256(f.read_bytes()).hexdigest() for name, f in files.items()}
    return Built(list(execution_log.spawns(log.read_text(encoding="utf-8"))), digests)
