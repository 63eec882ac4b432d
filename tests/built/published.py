"""Folders with outputs of the nested build: filling and reading them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tfcarve.app.build_events import Outputs

_FOLDERS = "_main/tests/built"
_INDEX = "outputs.json"
_MODELS = "models"
_BAZEL_BIN = "/bin/"


@dataclass(frozen=True)
class Published:
    """Outputs of targets, with the paths that they have in bazel-bin, and the models that these were built for.

    Attributes:
      folder: where they are.
      index: paths in the folder, by target and output group.
    """

    folder: Path
    index: Mapping[str, Mapping[str, tuple[str, ...]]]

    def files(self, target: str, group: str = "default") -> tuple[Path, ...]:
        """Returns the files of an output group of a target."""
        return tuple(self.folder / path for path in self.index[target][group])

    def named(self, target: str, *groups: str) -> dict[str, Path]:
        """Returns the files of output groups of a target by their names; those of `default` if no group is given."""
        found = (self.files(target, group) for group in groups or ("default",))
        return {file.name: file for files in found for file in files}

    @property
    def models(self) -> Path:
        """The folder of the files that were written for the build."""
        return self.folder / _MODELS


def of(name: str) -> Published:
    """Returns the outputs of a group of tests/built/groups.py.

    Raises:
      LookupError: the test does not have the group in its data.
    """
    folders = list((Path(os.environ["RUNFILES_DIR"]) / _FOLDERS).glob(f"*/{name}"))
    if len(folders) != 1:
        raise LookupError(
            f"{name}: add the target of //tests/built with this group to the data of the test"
        )
    (folder,) = folders
    return Published(folder, json.loads((folder / _INDEX).read_text(encoding="utf-8")))


def publish(outputs: Outputs, models: Mapping[str, Path], folder: Path) -> None:
    """Fills a folder.

    Args:
      outputs: files by target and output group.
      models: the files that were written for the build, by their names.
      folder: an empty one.
    """
    index: dict[str, dict[str, list[str]]] = {}
    for (target, group), files in sorted(outputs.items()):
        for file in files:
            path = str(file).partition(_BAZEL_BIN)[2]
            index.setdefault(target, {}).setdefault(group, []).append(path)
            _link(file, folder / path)
    for name, file in models.items():
        # Not linked: Bazel makes published files read-only and executable, and a model may be a source or in the user's cache.
        model = folder / _MODELS / name
        model.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, model)
    (folder / _INDEX).write_text(json.dumps(index, indent=1, sort_keys=True), encoding="utf-8")


def _link(source: Path, target: Path) -> None:
    """Links an output, or copies it to another file system. Output groups may share files."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copy2(source, target)
