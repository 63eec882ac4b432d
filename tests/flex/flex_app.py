"""The nested app that builds Flex delegates for the models of these tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.nested import Workspace
from e2e import app_workspace
from flex import flex_models

PACKAGE = "flex"
DELEGATE, ONE_OP, RELEASE = (f"//{PACKAGE}:{name}" for name in ("delegate", "one_op", "release"))
_LIBRARY = "libtensorflowlite_flex.so"


@contextmanager
def opened(models: Path) -> Iterator[Workspace]:
    """Writes the models to a folder and yields the app with them, locked against other processes."""
    flex_models.write(models)
    with app_workspace.opened() as workspace:
        workspace.place(PACKAGE, {file.name: file for file in models.iterdir()}, "*.tflite")
        yield workspace


def library(files: Iterable[Path]) -> Path:
    """Returns the delegate among the output files of a target."""
    return next(file for file in files if file.name == _LIBRARY)


def arm64_files(workspace: Workspace) -> list[Path]:
    """Builds the delegate of all models for linux_arm64 and returns its files."""
    files = workspace.build([RELEASE]).files(RELEASE)
    return [file for file in files if file.parent.name == "linux_arm64"]
