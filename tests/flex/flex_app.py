"""The nested app that builds Flex delegates for the models of these tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from e2e.builds import app_workspace
from flex import custom_op, flex_models
from tfcarve.app.workspace import Workspace

PACKAGE = "flex"
DELEGATE = f"//{PACKAGE}:delegate"
ONE_OP = f"//{PACKAGE}:one_op"
DELEGATE_RELEASE = f"//{PACKAGE}:release"
DELEGATE_RELEASE_ARMV7 = f"//{PACKAGE}:release_armv7"
# A delegate for FEW_MODELS; DELEGATE is for all.
FEW = f"//{PACKAGE}:few"
FEW_MODELS = ("one_op", "words")
ONE_OP_RELEASE = f"//{PACKAGE}:one_op_release"
CUSTOM_OP = "custom_op"
OF_CUSTOM_OP = f"//{PACKAGE}:{CUSTOM_OP}"
# A delegate and a library that an app can link together.
PRIVATE_ONE_OP = f"//{PACKAGE}:private_one_op"
PRIVATE_SESSION = f"//{PACKAGE}:private_session"
LIBRARY = "libtensorflowlite_flex.so"


def write_models(folder: Path) -> Mapping[str, Path]:
    """Writes the models to a folder; returns the files by their names."""
    flex_models.write(folder)
    (folder / f"{CUSTOM_OP}.tflite").write_bytes(custom_op.model())
    return {file.name: file for file in folder.glob("*.tflite")}


@contextmanager
def opened(models: Path) -> Iterator[Workspace]:
    """Writes the models to a folder and yields the app with them, locked against other processes."""
    with app_workspace.opened() as workspace:
        workspace.place(PACKAGE, write_models(models), "*.tflite")
        yield workspace
