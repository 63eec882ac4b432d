"""Sizes of carved libraries, next to larger libraries with the same flags.

    PYTHONPATH=tools:tests:. python -m benchmarks.size.sizes -o benchmarks/results/SIZES.md

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. It builds all models for all platforms.
`--stock PLATFORM` also builds the stock library, with about 450 complete sources, which takes an hour on two cores. Bazel's
disk cache has what was compiled, so an interrupted run resumes.

The rules build each library in a copy of tests/e2e/bzlmod, so each is proved to register exactly its selection.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page, selections, workspaces
from benchmarks.size import size_selections, size_table
from benchmarks.size.size_table import Measured, Variant
from demo import cached_models, library
from demo.nested import NestedError
from e2e.builds import prebuilt_selection
from tfcarve import files
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.commands import common
from tfcarve.commands.common import Sources
from tfcarve.errors import TfcarveError
from tfcarve.proof import sections, table
from tfcarve.selection import runtime_rules
from tfcarve.selection.selection import Selection

MODELS = ("inception_v3", "mobilenet_v2", "resnet_50", "lstm")
PLATFORMS = ("linux_x86_64", "linux_arm64", "linux_armv7")
PACKAGE = "sizes"
BUILD_FILE = Path(__file__).with_name("sizes.BUILD")
_LIBRARY = "libtensorflow-core.so"
_UNITS = "libtensorflow-registrations.a"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size.sizes", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
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
        help="also builds the stock library for this platform, which takes an hour; may be repeated",
    )
    parser.add_argument(
        "--tensorflow",
        type=Path,
        metavar="DIR",
        help="TensorFlow's source tree; else $TFCARVE_TENSORFLOW, else the pinned version",
    )
    return parser


def measured(
    outputs: Iterable[Path], model: str, platform: str, variant: Variant, selection: Selection
) -> Measured:
    """Measures the library among the outputs of a build.

    Raises:
      NestedError: there is no library: the platform was skipped because it has no toolchain.
    """
    named = {file.name: file for file in outputs}
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
    """Counts the ops and kernels that the units of a library could register but do not."""
    count = 0
    for image in sections.images(units.read_bytes(), str(units)):
        there, refused = (
            table.parse(image.sections.get(section, b""), image.name)
            for section in (sections.TABLE, sections.REFUSED)
        )
        count += len(refused.ops - there.ops) + len(refused.kernels - there.kernels)
    return count


def place(workspace: Workspace, selection: Selection) -> None:
    """Places the package that builds a selection's library: a target for each platform."""
    workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
    with tempfile.TemporaryDirectory() as folder:
        prebuilt_selection.place(workspace, selection, Path(folder), PACKAGE)


def _built(workspace: Workspace, selection: Selection, platform: str) -> Sequence[Path]:
    place(workspace, selection)
    target = f"//{PACKAGE}:{platform}"
    build = workspace.build([target], ["--keep_going"], progress=sys.stderr.isatty())
    return build.files(target)


@dataclass(frozen=True)
class _Planned:
    """Libraries to build: the model, the platforms, and how much they contain."""

    model: str
    platforms: Sequence[str]
    variant: Variant
    selection: Selection


def _planned(args: argparse.Namespace, sources: Sources) -> Iterator[_Planned]:
    indexed = selections.kernel_index(sources)
    models, platforms = args.models or MODELS, args.platforms or PLATFORMS
    graphs = {model: cached_models.load(model).model for model in models}
    for model in models:
        carved = selections.selected([graphs[model]], indexed)
        yield _Planned(model, platforms, Variant.CARVED, carved)
        whole = size_selections.whole(carved, indexed)
        yield _Planned(model, platforms, Variant.WHOLE, whole)
    if args.stock:
        portable = size_selections.portable_sources(sources)
        stock = size_selections.stock(
            selections.selected(list(graphs.values()), indexed),
            indexed,
            portable,
            runtime_rules.load(sources.release),
        )
        yield _Planned("", args.stock, Variant.STOCK, stock)


def _rows(args: argparse.Namespace) -> Iterator[Measured]:
    sources = common.sources(args.tensorflow)
    with workspaces.opened("sizes") as workspace:
        for planned in _planned(args, sources):
            for platform in planned.platforms:
                outputs = _built(workspace, planned.selection, platform)
                row = measured(outputs, planned.model, platform, planned.variant, planned.selection)
                print(_line(row), file=sys.stderr, flush=True)
                yield row


def _line(row: Measured) -> str:
    what = f"{row.model} {row.platform}".strip()
    return f"{what}: {row.variant.value}: {row.stripped:,} bytes, {row.gzip:,} as gzip"


_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.size.sizes -o benchmarks/results/SIZES.md"


def text(rows: Sequence[Measured]) -> str:
    """Returns the tables as Markdown."""
    return (
        "\n\n".join(
            (
                page.head("Sizes of libraries", _COMMAND, measure.machine()).rstrip(),
                "Stripped shared libraries in bytes, `gzip -9` of them, and the ratio to the carved one:",
                size_table.sizes(rows),
                "What they contain, and what else their sources could register, including for other devices:",
                size_table.contents(rows),
                "Figures that other projects published, by their own measures:",
                size_table.published(),
            )
        )
        + "\n"
    )


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0; 1 if a check of a library failed; 2 if one cannot be built."""
    args = _parser().parse_args(argv)
    try:
        page_text = text(list(_rows(args)))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"sizes: {error}", file=sys.stderr)
        return error.exit_status if isinstance(error, TfcarveError) else 2
    files.write_if_changed(args.output, page_text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
