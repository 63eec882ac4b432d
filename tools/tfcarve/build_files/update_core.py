"""Writes core.bzl of a release into the source tree.

`bazel run //third_party/tensorflow/releases/<name>:update` runs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.build_files.core import core_of
from tfcarve.build_files.core_bzl import core_bzl
from tfcarve.build_files.evaluate import BuildFileError
from tfcarve.errors import InvalidInput, TfcarveError
from tfcarve.releases import known, tree_version
from tfcarve.releases.release import Release
from tfcarve.runtime_sources import optional_sources


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0 done, 2 not a tree of the release.

    Args:
      argv: the release's name, and the path of tensorflow/core/public/version.h in the tree.
    """
    name, version_h = argv
    tree = Path(version_h).resolve().parents[3]
    place = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    try:
        release = known.release(name)
        _require_version(tree, release)
        text = core_bzl(release, core_of(tree, release), optional_sources.read(release))
    except (BuildFileError, OSError, TfcarveError) as error:
        print(f"tfcarve: {error}", file=sys.stderr)
        return 2
    output = place / "third_party/tensorflow/releases" / name / "core.bzl"
    files.write_if_changed(output, text.encode())
    print(f"{output}: up to date")
    return 0


def _require_version(tree: Path, release: Release) -> None:
    version = tree_version.version(tree)
    if version != release.version:
        raise InvalidInput(
            f"{tree}: TensorFlow {version}, but {release.file('release.toml')} is for {release.version}: "
            "use that tree, or change the version and the pins"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
