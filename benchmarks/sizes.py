"""Sizes of carved libraries, next to the same flags with less left out.

    PYTHONPATH=tools:tests:. python -m benchmarks.sizes --model mobilenet_v2 --platform linux_x86_64

in the repository's folder, with a Python that has tensorflow-cpu 2.14.1. Without options: all models
for all platforms. `--stock PLATFORM` also builds the stock library, some 450 sources whole: an hour
on two cores. Prints Markdown. What was compiled is kept in Bazel's disk cache, so a run that was stopped
goes on from there.

Each library is built by the rules, one after another, in a copy of tests/e2e/bzlmod; so it is proved to
register just what it is told to.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, size_selections, size_table, workspaces
from benchmarks.size_table import Measured, Variant
from demo import cached_models, library
from demo.nested import BuildError, NestedError, Workspace
from e2e import prebuilt_selection
from tfcarve.commands import common
from tfcarve.errors import TfcarveError
from tfcarve.models import read
from tfcarve.proof import binary, table
from tfcarve.registry import index, scan
from tfcarve.registry.index import IndexFile
from tfcarve.selection import leftover_kinds, runtime_rules
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection

MODELS = ("inception_v3", "mobilenet_v2", "resnet_50", "lstm")
PLATFORMS = ("linux_x86_64", "linux_arm64", "linux_armv7")
PACKAGE = "sizes"
BUILD_FILE = Path(__file__).with_name("sizes.BUILD")
_LIBRARY = "libtensorflow-core.so"
_UNITS = "libtensorflow-registrations.a"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    parser.add_argument(
        "--model",
        action="append",
        choices=MODELS,
        dest="models",
        help="only this model; may be repeated",
    )
    parser.add_argument(
        "--platform",
        action="append",
        choices=PLATFORMS,
        dest="platforms",
        help="only this platform; may be repeated",
    )
    parser.add_argument(
        "--stock",
        action="append",
        choices=PLATFORMS,
        default=[],
        metavar="PLATFORM",
        help="also the stock library for this platform: an hour; may be repeated",
    )
    parser.add_argument(
        "--tensorflow",
        type=Path,
        metavar="DIR",
        help="TensorFlow's source tree; else $TFCARVE_TENSORFLOW, else the pinned version",
    )
    return parser


def measured(
    files: Iterable[Path], model: str, platform: str, variant: Variant, selection: Selection
) -> Measured:
    """Measures the library among the files that a build made.

    Raises NestedError where there is none: the platform was left out for want of a toolchain.
    """
    named = {file.name: file for file in files}
    if _LIBRARY not in named:
        raise NestedError(f"{platform}: no {_LIBRARY} was built: is there a compiler for it?")
    shared = named[_LIBRARY]
    return Measured(
        model=model,
        platform=platform,
        variant=variant,
        sources=len(selection.files),
        kernels=len({(k.op, k.clazz) for k in selection.kernels}),
        left_out=_left_out(named[_UNITS]),
        stripped=shared.stat().st_size,
        gzip=library.gzip_size(shared),
    )


def _left_out(units: Path) -> int:
    """Counts the ops and kernels that the units of a library could register and do not."""
    count = 0
    for image in binary.images(units.read_bytes(), str(units)):
        there, refused = (
            table.parse(image.sections.get(section, b""), image.name)
            for section in (binary.TABLE, binary.REFUSED)
        )
        count += len(refused.ops - there.ops) + len(refused.kernels - there.kernels)
    return count


def _built(workspace: Workspace, selection: Selection, platform: str) -> Sequence[Path]:
    with tempfile.TemporaryDirectory() as folder:
        prebuilt_selection.place(workspace, selection, Path(folder), PACKAGE)
    target = f"//{PACKAGE}:{platform}"
    build = workspace.build([target], ["--keep_going"], progress=sys.stderr.isatty())
    return build.files(target)


def _selected(models: Sequence[str], indexed: IndexFile) -> Selection:
    loaded = [read.read(cached_models.load(name).model) for name in models]
    return resolve(loaded, indexed, runtime_rules.load(), leftover_kinds.load()).selection


@dataclass(frozen=True)
class _Planned:
    """Libraries to build: for what model and platforms, and with how much in them."""

    model: str
    platforms: Sequence[str]
    variant: Variant
    selection: Selection


def _planned(asked: argparse.Namespace, tree: Path) -> Iterator[_Planned]:
    settings = scan.Settings(common.default_defines(), scan.find_compiler(os.environ))
    indexed = index.parse(scan.make_index(tree, settings), f"index of {tree}")
    everything = indexed.load()
    models, platforms = asked.models or MODELS, asked.platforms or PLATFORMS
    for model in models:
        carved = _selected([model], indexed)
        yield _Planned(model, platforms, Variant.CARVED, carved)
        whole = size_selections.whole(carved, everything)
        yield _Planned(model, platforms, Variant.WHOLE, whole)
    if asked.stock:
        sources = size_selections.portable_sources(tree)
        stock = size_selections.stock(
            _selected(models, indexed), everything, sources, runtime_rules.load()
        )
        yield _Planned("", asked.stock, Variant.STOCK, stock)


def _rows(asked: argparse.Namespace) -> Iterator[Measured]:
    tree = common.tensorflow_tree(asked.tensorflow)
    with workspaces.opened("sizes") as workspace:
        workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
        for planned in _planned(asked, tree):
            for platform in planned.platforms:
                files = _built(workspace, planned.selection, platform)
                row = measured(files, planned.model, platform, planned.variant, planned.selection)
                print(_said(row), file=sys.stderr, flush=True)
                yield row


def _said(row: Measured) -> str:
    what = f"{row.model} {row.platform}".strip()
    return f"{what}: {row.variant.value}: {row.stripped:,} bytes, {row.gzip:,} as gzip"


def text(rows: Sequence[Measured]) -> str:
    """Returns the tables as Markdown."""
    return "\n\n".join(
        (
            f"Measured on {datetime.date.today().isoformat()}: {measure.machine()}.",
            "Stripped shared libraries in bytes, `gzip -9` of them, and how many times the carved one's:",
            size_table.sizes(rows),
            "What they hold, and what else their sources could register, for other devices too:",
            size_table.contents(rows),
            "What others publish, by their own measures:",
            size_table.published(),
        )
    )


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 where a library is not as it must be; 2 where it can't be built."""
    asked = _parser().parse_args(argv)
    try:
        print(text(list(_rows(asked))))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"sizes: {error}", file=sys.stderr)
        return error.exit_status if isinstance(error, TfcarveError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
