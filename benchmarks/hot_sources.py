"""What it costs that some sources are compiled for speed: each group of tools/tfcarve/data/hot_sources.yaml.

    PYTHONPATH=tools:tests:. python -m benchmarks.hot_sources --platform linux_arm64 --model lstm

in the repository's folder, with a Python that has tensorflow-cpu 2.14.1. Without options: four models for two
platforms, ten minutes where TensorFlow's core is built already. Prints Markdown. Each unit and helper is compiled by
the library's own commands for both kinds (link.json), and each library linked again with the objects of one group
compiled for speed and all others for size.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import measure, workspaces
from benchmarks.sizes import BUILD_FILE, MODELS, PACKAGE
from demo import made_models, nested
from demo.nested import BuildError, NestedError, Workspace
from e2e import given
from tfcarve.commands import common
from tfcarve.emit import hot, units
from tfcarve.errors import TfcarveError
from tfcarve.models import read
from tfcarve.registry import index, scan
from tfcarve.registry.index import IndexFile
from tfcarve.selection import leftover_kinds, runtime_rules
from tfcarve.selection.resolve import resolve
from tfcarve.selection.selection import Selection
from tfcarve.size import link_line
from tfcarve.size.elf import Elf
from tfcarve.size.link_line import Command, LinkLine

PLATFORMS = ("linux_x86_64", "linux_arm64")
_LIBRARY = f"//{PACKAGE}:library"
_HELPERS = "parts/libhelpers.a"
# The last row of a table: all groups together.
ALL = "all of them"


@dataclass(frozen=True)
class Source:
    """A source's objects for size and for speed; `hot` is that for size where the source is in no group."""

    path: str
    helper: bool
    cold: Path
    hot: Path

    @property
    def group(self) -> str:
        """The name of its group, or nothing."""
        found = hot.group_of(self.path)
        return found.name if found else ""


@dataclass(frozen=True)
class Sizes:
    """A linked library's code and constants, and its stripped file, in bytes."""

    text: int
    stripped: int

    def less(self, other: Sizes) -> Sizes:
        """How much larger this is than another."""
        return Sizes(self.text - other.text, self.stripped - other.stripped)


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


def _line(workspace: Workspace, platform: str, selection: Selection, folder: Path) -> LinkLine:
    """How a library for the platform is compiled and linked; all that its commands read is built."""
    given.place(workspace, selection, folder, PACKAGE)
    named = f"--platforms=@tfcarve//rules/platforms:{platform}"
    build = workspace.build(
        [_LIBRARY],
        [named, "--output_groups=default,sizes", nested.ALL_OUTPUTS],
        progress=sys.stderr.isatty(),
    )
    (file,) = (f for f in build.files(_LIBRARY, "sizes") if f.name == "link.json")
    # Another build would replace what the link names.
    return replace(link_line.load(file, None), root=workspace.execution_root())


def _object(command: Command, root: Path, name: str, text: bytes, folder: Path) -> Path:
    """Compiles a unit; an object of the same text by the same command is kept in the folder."""
    key = hashlib.sha256(b"\0".join([text, *(a.encode() for a in command.argv)])).hexdigest()
    kept = folder / f"{key}.o"
    if not kept.is_file():
        source = folder / name
        source.write_bytes(text)
        partial = kept.with_suffix(".partial")
        argv = command.with_files(str(partial), [str(source)])
        subprocess.run(argv, cwd=root, check=True)
        partial.replace(kept)
    return kept


def _sources(line: LinkLine, selection: Selection, folder: Path) -> Iterator[Source]:
    for is_helper, paths, texts in (
        (False, selection.files, units.units(selection)),
        (True, selection.helpers, units.helpers(selection)),
    ):
        for path in paths:
            name = units.file_name(path)
            cold = _object(line.compile, line.root, name, texts[name], folder)
            fast = cold
            if hot.group_of(path):
                fast = _object(line.hot_compile, line.root, name, texts[name], folder)
            yield Source(path, is_helper, cold, fast)


def _archived(objects: Iterable[Path], archive: Path) -> None:
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "qcsD", archive, *objects], check=True)


def _linked(line: LinkLine, sources: Sequence[Source], fast: frozenset[str]) -> Sizes:
    """Links a library with the sources of some groups compiled for speed, and measures it."""
    chosen = [(s.helper, s.hot if s.group in fast else s.cold) for s in sources]
    with tempfile.TemporaryDirectory() as folder:
        manifest, helpers = Path(folder, "manifest.o"), Path(folder, "libhelpers.a")
        manifest.write_bytes(dict(line.units())["manifest.pic.o"])
        _archived([path for is_helper, path in chosen if is_helper], helpers)
        library, stripped = Path(folder, "library"), Path(folder, "stripped")
        placed = [str(path) for is_helper, path in chosen if not is_helper] + [str(manifest)]
        link = [
            str(helpers) if word.endswith(_HELPERS) else word
            for word in line.link.with_files(str(library), placed)
        ]
        subprocess.run(link, cwd=line.root, check=True)
        strip = line.strip.with_files(str(stripped), [str(library)])
        subprocess.run(strip, cwd=line.root, check=True)
        data = stripped.read_bytes()
    return Sizes(Elf(data, "the library linked again").text_bytes, len(data))


def _text(file: Path) -> int:
    return Elf(file.read_bytes(), str(file)).text_bytes


def costs(line: LinkLine, platform: str, model: str, selection: Selection, folder: Path) -> Costs:
    """Compiles and links a model's library with each group of sources for speed."""
    sources = list(_sources(line, selection, folder))
    there = [group.name for group in hot.groups() if any(s.group == group.name for s in sources)]
    cold = _linked(line, sources, frozenset())
    each = {name: _linked(line, sources, frozenset([name])).less(cold) for name in there}
    whole = _linked(line, sources, frozenset(there)).less(cold)
    return Costs(
        platform,
        model,
        cold,
        {**each, ALL: whole},
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
    lines = [
        [path.rpartition("kernels/")[2], row.model, row.platform, f"{cold:,}", f"{fast:,}"]
        for path, row, cold, fast in sorted(
            (path, row, cold, fast) for row in rows for path, (cold, fast) in row.sources.items()
        )
    ]
    return measure.markdown(["Source", "Model", "Platform", "for size", "for speed"], lines)


def _rows(platforms: Sequence[str], models: Sequence[str], folder: Path) -> Iterator[Costs]:
    tree = common.tensorflow_tree(None)
    settings = scan.Settings(common.default_defines(), scan.find_compiler({}))
    indexed = index.parse(scan.make_index(tree, settings), "index")
    selections = {name: _selected(made_models.made(name).model, indexed) for name in models}
    with workspaces.opened("sizes") as workspace, tempfile.TemporaryDirectory() as placed:
        workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
        for platform in platforms:
            line = _line(workspace, platform, selections[models[0]], Path(placed))
            for model in models:
                print(f"{platform} {model}", file=sys.stderr, flush=True)
                yield costs(line, platform, model, selections[model], folder)


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
            rows = list(_rows(asked.platform or PLATFORMS, asked.model or MODELS, folder))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"hot_sources: {error}", file=sys.stderr)
        return 2
    print(f"Measured on {datetime.date.today().isoformat()}: {measure.machine()}.\n")
    print(groups_table(rows), "\n")
    print(sources_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
