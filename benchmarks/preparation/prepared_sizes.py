"""Compares the sizes of libraries that are carved for frozen models and for prepared models.

    PYTHONPATH=tools:tests:. python -m benchmarks.preparation.prepared_sizes -o benchmarks/results/PREPARED_SIZES.md

in the repository's root, with a Python that has the release's tensorflow-cpu. The rules build each library in a copy of
tests/e2e/bzlmod; this takes about twenty minutes on two cores if TensorFlow's core is already built.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, workspaces
from benchmarks.page import head
from benchmarks.preparation import prepare
from bootstrap.console import BootstrapError
from demo import cached_models, library
from demo.nested import NestedError
from tfcarve import files
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.errors import TfcarveError

PLATFORMS = ("linux_x86_64", "linux_arm64")
PACKAGE = "prepared_sizes"
BUILD_FILE = Path(__file__).with_name("prepared_sizes.BUILD")
# The options of `tfcarve transform`, by the name in the table; None for the frozen model itself.
WAYS = {
    "frozen graph": None,
    "`mobile`": ["--preset", "mobile"],
    "`mobile`, `--fuse`": ["--preset", "mobile", "--fuse"],
}


@dataclass(frozen=True)
class Size:
    """The stripped shared library of a model.

    Attributes:
      model: its name.
      way: one of WAYS.
      platform: one of PLATFORMS.
      stripped: the size of the file in bytes.
    """

    model: str
    way: str
    platform: str
    stripped: int


def _variants(name: str, model: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yields the file of a model for each of WAYS."""
    for number, (way, options) in enumerate(WAYS.items()):
        made = folder / f"{name}_{number}.pb"
        if options is None:
            made.symlink_to(model)
        else:
            prepare.transform(model, made, options)
        yield way, made


def _sizes(workspace: Workspace, name: str, model: Path, folder: Path) -> Iterator[Size]:
    variants = dict(_variants(name, model, folder))
    workspace.place(PACKAGE, {file.name: file for file in variants.values()}, "*.pb")
    for way, file in variants.items():
        for platform in PLATFORMS:
            target = f"//{PACKAGE}:{platform}_{file.stem}"
            built = library.build(workspace, target, platform, progress=sys.stderr.isatty())
            size = Size(name, way, platform, built.shared.stat().st_size)
            print(f"{name}, {way}, {platform}: {size.stripped:,}", file=sys.stderr, flush=True)
            yield size


def table(sizes: Sequence[Size]) -> str:
    """Returns a row for each model and way, with the bytes on each platform and the change from the frozen model's."""
    by_key = {(size.model, size.way, size.platform): size.stripped for size in sizes}
    frozen = next(iter(WAYS))
    rows = []
    for model in dict.fromkeys(size.model for size in sizes):
        for way in WAYS:
            cells = []
            for platform in PLATFORMS:
                stripped = by_key[model, way, platform]
                share = stripped / by_key[model, frozen, platform]
                cells.append(f"{stripped:,}" + ("" if way == frozen else f" ({share - 1:+.1%})"))
            rows.append([model, way, *cells])
    return measure.markdown(["Model", "Prepared", *PLATFORMS], rows)


_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.preparation.prepared_sizes -o benchmarks/results/PREPARED_SIZES.md"


def text(machine: str, sizes: Sequence[Size]) -> str:
    """Returns the page."""
    return "\n".join(
        (
            head("Size of libraries for prepared models", _COMMAND, machine),
            "Bytes of the stripped shared library with default options, and in brackets the change from the frozen model's.\n",
            table(sizes),
            "",
        )
    )


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a build fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.preparation.prepared_sizes", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--model",
        action="append",
        choices=prepare.MODELS,
        dest="models",
        help="only this model; may be repeated",
    )
    arguments = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as scratch, workspaces.opened("sizes") as workspace:
            folder = Path(scratch)
            workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
            sizes = [
                size
                for name in arguments.models or prepare.MODELS
                for size in _sizes(workspace, name, cached_models.load(name).model, folder)
            ]
    except (
        BootstrapError,
        BuildError,
        NestedError,
        TfcarveError,
        subprocess.CalledProcessError,
    ) as error:
        print(f"prepared_sizes: {error}", file=sys.stderr)
        return 2
    files.write_if_changed(arguments.output, text(measure.machine(), sizes).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
