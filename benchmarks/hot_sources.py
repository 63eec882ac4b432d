"""What it costs and gains that some sources are compiled for speed: each group of hot_sources.yaml in tools/tfcarve/data.

    PYTHONPATH=tools:tests:. python -m benchmarks.hot_sources --platform linux_arm64 --model lstm

in the repository's folder, with a Python that has tensorflow-cpu 2.14.1. Without options: four models for two
platforms, ten minutes where TensorFlow's core is built already. Prints Markdown. Each unit and helper is compiled by
the library's own commands for both kinds (link.json), and each library linked again with the objects of one group
compiled for speed and all others for size. The gains are those of graphs that do little else than a group's work.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import hot_gains, linked_again, measure, workspaces
from benchmarks.hot_gains import Gain
from benchmarks.linked_again import Sizes
from benchmarks.sizes import MODELS
from demo import cached_models
from demo.nested import BuildError, NestedError, Workspace
from tfcarve.commands import common
from tfcarve.emit import hot
from tfcarve.errors import TfcarveError
from tfcarve.models import read
from tfcarve.registry import index, scan
from tfcarve.registry.index import IndexFile
from tfcarve.selection import leftover_kinds, runtime_rules
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection
from tfcarve.size.elf import Elf
from tfcarve.size.link_line import LinkLine

PLATFORMS = ("linux_x86_64", "linux_arm64")
# The last row of a table: all groups together.
ALL = "all of them"


@dataclass(frozen=True)
class Costs:
    """A model's library for a platform.

    Attributes:
      platform, model: their names.
      cold: the library with all sources compiled for size.
      groups: what each group adds, by name, and ALL.
      sources: text bytes of the objects of each hot source, for size and for speed.
    """

    platform: str
    model: str
    cold: Sizes
    groups: Mapping[str, Sizes]
    sources: Mapping[str, tuple[int, int]]


def _selected(model: Path, indexed: IndexFile) -> Selection:
    rules, kinds = runtime_rules.load(), leftover_kinds.load()
    return resolve([read.read(model)], indexed, rules, kinds).selection


def _text(file: Path) -> int:
    return Elf(file.read_bytes(), str(file)).text_bytes


def costs(built: LinkLine, platform: str, model: str, selection: Selection, folder: Path) -> Costs:
    """Compiles and links a model's library with each group of sources for speed."""
    sources = list(linked_again.sources(built, selection, folder))
    there = [group.name for group in hot.groups() if any(s.group == group.name for s in sources)]

    def sizes(*fast: str) -> Sizes:
        with tempfile.TemporaryDirectory() as scratch:
            return linked_again.linked(built, sources, frozenset(fast), Path(scratch))[1]

    cold = sizes()
    return Costs(
        platform,
        model,
        cold,
        {**{name: sizes(name).less(cold) for name in there}, ALL: sizes(*there).less(cold)},
        {s.path: (_text(s.cold), _text(s.hot)) for s in sources if s.group},
    )


def groups_table(rows: Sequence[Costs]) -> str:
    """Returns what each group adds to the code and constants of each model's library, as Markdown."""
    names = [n for n in (*(g.name for g in hot.groups()), ALL) if any(n in r.groups for r in rows)]
    lines = []
    for name in names:
        added = [row.groups.get(name) for row in rows]
        lines.append([name, *(f"{a.text:+,}" if a else "" for a in added)])
    shares = [row.groups[ALL].stripped / row.cold.stripped for row in rows]
    lines.append(["of the stripped file", *(f"{share:+.1%}" for share in shares)])
    return measure.markdown(["Group", *(f"{r.model}, {r.platform}" for r in rows)], lines)


def sources_table(rows: Sequence[Costs]) -> str:
    """Returns the text bytes of each hot source's object, for size and for speed, as Markdown."""
    lines = sorted(
        [path.rpartition("kernels/")[2], row.model, row.platform, f"{cold:,}", f"{fast:,}"]
        for row in rows
        for path, (cold, fast) in row.sources.items()
    )
    return measure.markdown(["Source", "Model", "Platform", "for size", "for speed"], lines)


def _index() -> IndexFile:
    tree = common.tensorflow_tree(None)
    settings = scan.Settings(common.default_defines(), scan.find_compiler({}))
    return index.parse(scan.make_index(tree, settings), "index")


def _rows(
    workspace: Workspace,
    indexed: IndexFile,
    platforms: Sequence[str],
    models: Sequence[str],
    folder: Path,
) -> Iterator[Costs]:
    selections = {name: _selected(cached_models.load(name).model, indexed) for name in models}
    for platform in platforms:
        built = linked_again.line(workspace, platform, selections[models[0]], folder)
        for model in models:
            print(f"{platform} {model}", file=sys.stderr, flush=True)
            yield costs(built, platform, model, selections[model], folder)


def _gains(workspace: Workspace, indexed: IndexFile, folder: Path) -> Iterator[Gain]:
    for name, graph in hot_gains.graphs(folder).items():
        print(f"{hot_gains.PLATFORM} {name}", file=sys.stderr, flush=True)
        selection = _selected(graph, indexed)
        built = linked_again.line(workspace, hot_gains.PLATFORM, selection, folder)
        yield hot_gains.gain(workspace, built, selection, name, graph, folder)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 2 where a library can't be built."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hot_sources", description=__doc__)
    for option, choices in (("--platform", PLATFORMS), ("--model", MODELS)):
        parser.add_argument(option, action="append", choices=choices, help="may be repeated")
    parser.add_argument(
        "--objects",
        type=Path,
        metavar="DIR",
        help="keeps objects there, for another run with the same sources, index and compilers",
    )
    asked = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            folder = asked.objects or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            indexed = _index()
            with workspaces.opened("sizes") as workspace:
                platforms, models = asked.platform or PLATFORMS, asked.model or MODELS
                rows = list(_rows(workspace, indexed, platforms, models, folder))
                gains = list(_gains(workspace, indexed, folder))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"hot_sources: {error}", file=sys.stderr)
        return 2
    print(f"Measured on {datetime.date.today().isoformat()}: {measure.machine()}.\n")
    print(groups_table(rows), "\n")
    print(sources_table(rows), "\n")
    print(hot_gains.table(gains))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
