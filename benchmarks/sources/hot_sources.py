"""Size and speed of the hot sources: each group of a release's hot_sources.yaml, compiled for size and for speed.

    PYTHONPATH=tools:tests:. python -m benchmarks.sources.hot_sources --platform linux_arm64 --model lstm

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. Without options it measures four models
on two platforms, which takes ten minutes after TensorFlow's core is built. Prints Markdown. Each unit and helper source
is compiled by the library's commands (link.json) for size and for speed, and each library is linked again with the
objects of one group compiled for speed and all others for size. Speedups are those of graphs that mostly use one group.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page, selections, workspaces
from benchmarks.size.sizes import MODELS
from benchmarks.sources import hot_gains, relink
from benchmarks.sources.hot_gains import Gain
from benchmarks.sources.relink import Sizes
from demo import cached_models
from demo.nested import NestedError
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.commands import common
from tfcarve.emit import hot
from tfcarve.errors import TfcarveError
from tfcarve.objfile.linked_elf import LinkedElf
from tfcarve.registry.index import KernelIndex
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size.link_line import LinkLine

PLATFORMS = ("linux_x86_64", "linux_arm64")
# The last row of a table: all groups together.
ALL = "all groups"


@dataclass(frozen=True)
class Costs:
    """A model's library for a platform.

    Attributes:
      platform, model: their names.
      cold: the library with all sources compiled for size.
      groups: the bytes that each group adds, by name, and ALL.
      sources: bytes of code of the objects of each hot source, compiled for size and for speed.
    """

    platform: str
    model: str
    cold: Sizes
    groups: Mapping[str, Sizes]
    sources: Mapping[str, tuple[int, int]]


def _text(file: Path) -> int:
    return LinkedElf(file.read_bytes(), str(file)).text_bytes


def costs(built: LinkLine, platform: str, model: str, selection: Selection, folder: Path) -> Costs:
    """Compiles a model's sources and links its library with each group compiled for speed."""
    sources = list(relink.sources(built, selection, folder))
    groups = hot.groups(known.release())
    names = [group.name for group in groups if any(s.group == group.name for s in sources)]

    def sizes(*fast: str) -> Sizes:
        with tempfile.TemporaryDirectory() as scratch:
            return relink.linked(built, sources, frozenset(fast), Path(scratch))[1]

    cold = sizes()
    return Costs(
        platform,
        model,
        cold,
        {**{name: sizes(name).less(cold) for name in names}, ALL: sizes(*names).less(cold)},
        {s.path: (_text(s.cold), _text(s.hot)) for s in sources if s.group},
    )


def groups_table(rows: Sequence[Costs]) -> str:
    """Returns the bytes that each group adds to the code and constants of each library, as Markdown."""
    groups = (*(g.name for g in hot.groups(known.release())), ALL)
    names = [n for n in groups if any(n in r.groups for r in rows)]
    lines = []
    for name in names:
        added = [row.groups.get(name) for row in rows]
        lines.append([name, *(f"{a.text:+,}" if a else "" for a in added)])
    shares = [row.groups[ALL].stripped / row.cold.stripped for row in rows]
    lines.append(["share of the stripped file", *(f"{share:+.1%}" for share in shares)])
    return measure.markdown(["Group", *(f"{r.model}, {r.platform}" for r in rows)], lines)


def sources_table(rows: Sequence[Costs]) -> str:
    """Returns the bytes of code of each hot source's object, for size and for speed, as Markdown."""
    lines = sorted(
        [path.rpartition("kernels/")[2], row.model, row.platform, f"{cold:,}", f"{fast:,}"]
        for row in rows
        for path, (cold, fast) in row.sources.items()
    )
    return measure.markdown(["Source", "Model", "Platform", "for size", "for speed"], lines)


def _rows(
    workspace: Workspace,
    indexed: KernelIndex,
    platforms: Sequence[str],
    models: Sequence[str],
    folder: Path,
) -> Iterator[Costs]:
    selected = {
        name: selections.selected([cached_models.load(name).model], indexed) for name in models
    }
    for platform in platforms:
        built = relink.line(workspace, platform, selected[models[0]])
        for model in models:
            print(f"{platform} {model}", file=sys.stderr, flush=True)
            yield costs(built, platform, model, selected[model], folder)


def _gains(workspace: Workspace, indexed: KernelIndex, folder: Path) -> Iterator[Gain]:
    for name, graph in hot_gains.graphs(folder).items():
        print(f"{hot_gains.PLATFORM} {name}", file=sys.stderr, flush=True)
        selection = selections.selected([graph], indexed)
        built = relink.line(workspace, hot_gains.PLATFORM, selection)
        yield hot_gains.gain(workspace, built, selection, name, graph, folder)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 2 if a library cannot be built."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sources.hot_sources", description=__doc__
    )
    for option, choices in (("--platform", PLATFORMS), ("--model", MODELS)):
        parser.add_argument(option, action="append", choices=choices, help="may be repeated")
    parser.add_argument(
        "--objects",
        type=Path,
        metavar="DIR",
        help="keep the objects in DIR for another run with the same sources, index and compilers",
    )
    arguments = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            folder = arguments.objects or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            indexed = selections.kernel_index(common.sources(None))
            with workspaces.opened("sizes") as workspace:
                platforms, models = arguments.platform or PLATFORMS, arguments.model or MODELS
                rows = list(_rows(workspace, indexed, platforms, models, folder))
                gains = list(_gains(workspace, indexed, folder))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"hot_sources: {error}", file=sys.stderr)
        return 2
    words = [
        f"--{name} {value}"
        for name in ("platform", "model")
        for value in getattr(arguments, name) or ()
    ]
    command = " ".join(
        ["PYTHONPATH=tools:tests:. python -m benchmarks.sources.hot_sources", *words]
    )
    print(page.head("Hot sources", command, measure.machine()))
    print("Bytes of code and constants that each group of `hot_sources.yaml` adds to a library.\n")
    print(groups_table(rows), "\n")
    print(sources_table(rows), "\n")
    print(hot_gains.table(gains))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
