"""The library with the kernels of tfcarve's overrides, for tests: one build for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from e2e.builds import app_workspace
from e2e.random_cases import drawn_ops
from tfcarve.app.workspace import Workspace

_PACKAGE = "overrides"


def write_models(graphs: Mapping[str, Any], folder: Path) -> dict[str, Path]:
    """Writes the graphs of a test and of drawn_ops; returns the files by their names."""
    every = {**graphs, drawn_ops.NAME: drawn_ops.all_kernels()}
    return app_workspace.write_graphs(every, folder)


def build(
    workspace: Workspace,
    graphs: Mapping[str, Any],
    folder: Path,
    groups: Sequence[str],
    target: str = "library",
    flags: Sequence[str] = (),
) -> Mapping[str, Mapping[str, Path]]:
    """Builds the library for the graphs of a test and of drawn_ops.

    Args:
      workspace: a copy of tests/e2e/bzlmod.
      graphs: GraphDefs by name.
      folder: for their files.
      groups: output groups of the target.
      target: `library` for this machine, `arm` for Arm platforms.
      flags: of Bazel.

    Returns:
      The files of each output group by their names.
    """
    workspace.place(_PACKAGE, write_models(graphs, folder), "*.pb")
    label = f"//{_PACKAGE}:{target}"
    done = workspace.build([label], [*flags, f"--output_groups={','.join(groups)}"])
    return {group: done.named(label, group) for group in groups}
