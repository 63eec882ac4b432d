"""Adds later TensorFlow releases to newer_ops.json of a release.

    PYTHONPATH=tools:tests python -m op_lists.update RELEASE VERSION...

in the repository's root: `2.14 2.21.0` adds what 2.21.0 has and 2.14 does not have. It downloads the package tensorflow-cpu of
each version with pip, one after the other, and reads the list of ops from its libraries, without importing it. A package takes up
to 2 GB on the disk while it is read. To remove rows, delete the file first and add all releases again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from bootstrap.console import BootstrapError
from bootstrap.wheels import base_python, run_pip
from op_lists import compare, package
from op_lists.package import Package
from tfcarve import files, json_codec
from tfcarve.errors import TfcarveError
from tfcarve.newer.data import FILE_NAME, parse
from tfcarve.releases import known

_PACKAGE = "tensorflow-cpu"


def _package(version: str) -> Package:
    """Downloads a version of TensorFlow and returns what it has."""
    print(f"TensorFlow {version}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        options = ("--no-deps", "--only-binary=:all:", f"--dest={folder}")
        run_pip(base_python(), ["download", *options, f"{_PACKAGE}=={version}"])
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for library in package.LIBRARIES:
                archive.extract(f"tensorflow/{library}", folder)
        wheel.unlink()
        return package.read(folder / "tensorflow")


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0 done, 2 a release is unknown or a package cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m op_lists.update", description=__doc__)
    parser.add_argument("release", metavar="RELEASE", help="the release that is built")
    parser.add_argument("versions", nargs="+", metavar="VERSION", help="a later version")
    arguments = parser.parse_args(argv)
    try:
        release = known.release(arguments.release)
        output = Path("third_party/tensorflow/releases", release.name, FILE_NAME)
        base = _package(release.version)
        newer = parse(output.read_bytes(), str(output)) if output.is_file() else compare.empty(base)
        for version in arguments.versions:
            newer = compare.with_release(newer, base, _package(version))
    except (BootstrapError, TfcarveError) as error:
        print(f"tfcarve: {error}", file=sys.stderr)
        return 2
    files.write_if_changed(output, json_codec.encode_rows(newer))
    print(f"{output}: {len(newer.ops)} ops, {len(newer.attributes)} attributes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
