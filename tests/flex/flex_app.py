"""The nested app that builds Flex delegates for the models of these tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.nested import Workspace
from e2e import app_workspace
from flex import custom_op, flex_models

PACKAGE = "flex"
DELEGATE = f"//{PACKAGE}:delegate"
ONE_OP = f"//{PACKAGE}:one_op"
RELEASE = f"//{PACKAGE}:release"
RELEASE_ARMV7 = f"//{PACKAGE}:release_armv7"
ONE_OP_RELEASE = f"//{PACKAGE}:one_op_release"
CUSTOM_OP = "custom_op"
LIBRARY = "libtensorflowlite_flex.so"


@contextmanager
def opened(models: Path) -> Iterator[Workspace]:
    """Writes the models to a folder and yields the app with them, locked against other processes."""
    flex_models.write(models)
    (models / f"{CUSTOM_OP}.tflite").write_bytes(custom_op.model())
    with app_workspace.opened() as workspace:
        workspace.place(PACKAGE, {file.name: file for file in models.iterdir()}, "*.tflite")
        yield workspace


def library(files: Iterable[Path]) -> Path:
    """Returns the delegate among the output files of a target."""
    return next(file for file in files if file.name == LIBRARY)


def files_for(workspace: Workspace, platform: str, release: str = RELEASE) -> tuple[Path, ...]:
    """Builds a delegate, that of all models by default, for a platform and returns its files."""
    return workspace.build([release], [f"--output_groups={platform}"]).files(release, platform)
