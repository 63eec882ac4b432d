"""The app's library for a selection that a test computes: the files for prebuilt_selection."""

from __future__ import annotations

from pathlib import Path

from tfcarve.app.workspace import Workspace
from tfcarve.emit import header, op_files
from tfcarve.releases import known
from tfcarve.selection.selection import Selection

PACKAGE = "runtime_rules"
LIBRARY = f"//{PACKAGE}:library"


def place(workspace: Workspace, selected: Selection, folder: Path, package: str = PACKAGE) -> None:
    """Makes `selected` the selection of the library in `package`; writes its files to `folder` first."""
    contents = {
        "selection.json": selected.to_json(),
        "ops_to_register.h": header.header(selected),
        "tf_op_files.txt": op_files.op_files(selected, known.release()),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    workspace.place(f"{package}/prebuilt", {name: folder / name for name in contents}, "*")
