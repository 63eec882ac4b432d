"""The library of the app that is made for a selection which a test gives it."""

from __future__ import annotations

from pathlib import Path

from demo.nested import Workspace
from tfcarve.emit import header, op_files
from tfcarve.selection.selection import Selection

PACKAGE = "runtime_rules"
LIBRARY = f"//{PACKAGE}:library"


def place(workspace: Workspace, selected: Selection, folder: Path, package: str = PACKAGE) -> None:
    """Makes `selected` what the library of `package` is carved to; writes the files into `folder` first."""
    made = {
        "selection.json": selected.to_json(),
        "ops_to_register.h": header.header(selected),
        "tf_op_files.txt": op_files.op_files(selected),
    }
    for name, content in made.items():
        (folder / name).write_bytes(content)
    workspace.place(f"{package}/given", {name: folder / name for name in made}, "*")
