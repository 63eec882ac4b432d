"""A source tree of TensorFlow, as a release's build sees it: TSL and XLA are at the root."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.releases import tree_version

# Where releases have TSL and XLA, newest first. Includes and protos name them by the second path.
_MOVES = (
    {"third_party/xla/third_party/tsl/tsl": "tsl", "third_party/xla/xla": "xla"},
    {"third_party/xla/xla": "xla"},
)
_FOLDERS = ("tensorflow", "tsl", "xla")
# More files than any release has.
_MAX_FILES = 200_000


@dataclass(frozen=True)
class Tree:
    """A tree.

    Attributes:
      root: its folder.
      version: the version that it states, for example "2.16.1".
      moved: the place of each folder that the build moves, by its path in the archive.
      files: the file of each path in the build's view.
    """

    root: Path
    version: str
    moved: Mapping[str, str]
    files: Mapping[str, Path] = field(repr=False)

    @property
    def name(self) -> str:
        """The name of the release's folder, for example "2.16"."""
        return ".".join(self.version.split(".")[:2])

    def has_folder(self, path: str) -> bool:
        """Returns whether a path of the build's view is a folder."""
        prefix = path.rstrip("/") + "/"
        return any(file.startswith(prefix) for file in self.files)


def read(root: Path) -> Tree:
    """Returns the tree in a folder.

    Raises:
      InvalidInput: the folder is not a tree of TensorFlow.
    """
    version = tree_version.version(root)
    if version == "unknown":
        raise InvalidInput(
            f"{root}: not a TensorFlow source tree: tensorflow/core/public/version.h does not state a version"
        )
    moved = next((m for m in _MOVES if all((root / folder).is_dir() for folder in m)), {})
    return Tree(root, version, moved, _files(root, moved))


def _files(root: Path, moved: Mapping[str, str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    starts = {**{folder: folder for folder in _FOLDERS}, **moved}
    for source, place in starts.items():
        for folder, _, names in os.walk(root / source):
            relative = Path(folder).relative_to(root / source)
            for name in names:
                found[(place / relative / name).as_posix()] = Path(folder, name)
            if len(found) > _MAX_FILES:
                raise InvalidInput(
                    f"{root}: more than {_MAX_FILES:,} files: pass TensorFlow's folder"
                )
    return found
