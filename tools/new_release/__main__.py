"""`./bazelw run //tools/new_release -- --tree DIR`: starts the folder of a TensorFlow release."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from new_release import folder, overrides, pins, report, tree
from new_release.places import Places
from new_release.report import Difference
from tfcarve.errors import InvalidInput, TfcarveError
from tfcarve.releases import known, paths

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NEXT = """\
next, as docs/how-to/tensorflow-release.md describes from step 3 on: MODULE.bazel and releases.bzl, the third-party sources and
overrides above, then
  ./bazelw run //third_party/tensorflow/releases/{name}:update
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./bazelw run //tools/new_release --",
        description="Writes the folder of a TensorFlow release from a source tree and an older release, and prints what a person must decide.",
    )
    parser.add_argument(
        "--tree",
        type=Path,
        required=True,
        metavar="DIR",
        help="the source tree of the new release, as in its archive",
    )
    parser.add_argument(
        "--base", default=known.names()[-1], help="the older release (default: %(default)s)"
    )
    parser.add_argument(
        "--base-tree",
        type=Path,
        metavar="DIR",
        help="the source tree of the older release, to count the lines that changed",
    )
    parser.add_argument(
        "--sha256", default="", help="of the new release's source archive (default: left empty)"
    )
    return parser


def _run(arguments: argparse.Namespace, place: Path) -> str:
    """Writes the folder; returns the report."""
    if arguments.sha256 and not _SHA256.fullmatch(arguments.sha256):
        raise InvalidInput(f"--sha256 {arguments.sha256!r}: 64 hexadecimal digits are needed")
    older = known.release(arguments.base)
    new = tree.read(place / arguments.tree)
    target = place / "third_party/tensorflow/releases" / new.name
    if target.exists():
        raise InvalidInput(
            f"{target} exists: remove it to start again, or pass the tree of another release"
        )
    before = tree.read(place / arguments.base_tree) if arguments.base_tree else None
    if before and before.version != older.version:
        raise InvalidInput(
            f"{before.root}: TensorFlow {before.version}, but {older.name} is {older.version}"
        )
    found = Places(new)
    places = {name: found.all_of(named) for name, named in paths.named(older).items()}
    compared = overrides.compared(older.overrides.replacing, found, new, before)
    own = {
        name: pin["version"]
        for name, pin in json.loads(older.file("pins.json").read_bytes()).items()
    }
    del own["tensorflow"]
    every_place = [place for of_list in places.values() for place in of_list]
    new_core = folder.write(older, new, every_place, arguments.sha256, target)
    old_core = {found.of(path).new or path for path in folder.registering(older)}
    registering = Difference(tuple(sorted(new_core - old_core)), tuple(sorted(old_core - new_core)))
    text = report.text(places, registering, compared, own, pins.of_tree(new.root))
    return f"{target}: written from {older.name}\n{text}{_NEXT.format(name=new.name)}"


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if the arguments or the tree are not valid."""
    arguments = _parser().parse_args(argv)
    place = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    try:
        sys.stdout.write(_run(arguments, place))
    except (OSError, TfcarveError) as error:
        print(f"new_release: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
