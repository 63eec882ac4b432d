"""Links a library that the rules built again, with other objects."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks import workspaces
from benchmarks.size import sizes
from demo.nested import NestedError
from tfcarve.app.workspace import ALL_OUTPUTS, Workspace
from tfcarve.emit import hot, units
from tfcarve.objfile.linked_elf import LinkedElf
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size import link_line
from tfcarve.size.link_line import Command, LinkLine

LIBRARY = f"//{sizes.PACKAGE}:library"
_HELPERS = "parts/libhelpers.a"


class CommandError(NestedError):
    """A compiler or linker failed; the message is its output."""


@dataclass(frozen=True)
class Source:
    """A source's objects compiled for size and for speed; `hot` is `cold` if the source is in no group."""

    path: str
    helper: bool
    cold: Path
    hot: Path

    @property
    def group(self) -> str:
        """The name of its group, or ""."""
        found = hot.group_of(self.path, known.release())
        return found.name if found else ""


@dataclass(frozen=True)
class Sizes:
    """A linked library's code and constants, and its stripped file, in bytes."""

    text: int
    stripped: int

    def less(self, other: Sizes) -> Sizes:
        """Returns the difference from another library."""
        return Sizes(self.text - other.text, self.stripped - other.stripped)


def line(workspace: Workspace, platform: str, selection: Selection) -> LinkLine:
    """Builds a library for the platform and returns its compile and link commands; their inputs exist afterwards."""
    sizes.place(workspace, selection)
    build = workspace.build(
        [LIBRARY],
        [workspaces.platform_flag(platform), "--output_groups=default,sizes", ALL_OUTPUTS],
        progress=sys.stderr.isatty(),
    )
    file = build.named(LIBRARY, "sizes")["link.json"]
    # Another build would replace the files that the link names.
    return link_line.load(file, workspace.execution_root())


def _object(command: Command, root: Path, name: str, text: bytes, folder: Path) -> Path:
    """Compiles a unit; the folder caches objects by text and command."""
    key = hashlib.sha256(b"\0".join([text, *(a.encode() for a in command.argv)])).hexdigest()
    cached = folder / f"{key}.o"
    if not cached.is_file():
        source = folder / name
        source.write_bytes(text)
        partial = cached.with_suffix(".partial")
        argv = command.with_files(str(partial), [str(source)])
        subprocess.run(argv, cwd=root, check=True)
        partial.replace(cached)
    return cached


def sources(built: LinkLine, selection: Selection, folder: Path) -> Iterator[Source]:
    """Compiles all sources of a selection for size, and those in a group also for speed, into `folder`."""
    for is_helper, paths, texts in (
        (False, selection.files, units.units(selection)),
        (True, selection.helpers, units.helpers(selection, known.release())),
    ):
        for path in paths:
            name = units.file_name(path)
            if name not in texts:
                continue  # an override drops it
            cold = _object(built.compile, built.root, name, texts[name], folder)
            fast = cold
            if hot.group_of(path, known.release()):
                fast = _object(built.hot_compile, built.root, name, texts[name], folder)
            yield Source(path, is_helper, cold, fast)


def optional_sources(workspace: Workspace, platform: str, folder: Path) -> Path:
    """Compiles all optional sources of the runtime; returns an archive of their objects in `folder`.

    A library has only those that it refers to. Linked with_archive(), it can refer to others.
    """
    flags = [workspaces.platform_flag(platform), ALL_OUTPUTS]
    build = workspace.build([workspaces.WHOLE_RUNTIME], flags, progress=sys.stderr.isatty())
    files = {file for found in build.outputs.values() for file in found}
    folders = (file.with_name(f"{file.name}.runfiles") for file in files)
    (runfiles,) = (folder for folder in folders if folder.is_dir())
    (listed,) = runfiles.glob("*/runtime_objects.json")
    rows: list[dict[str, Any]] = json.loads(listed.read_bytes())
    archive = folder / "liboptional.a"
    _archived(
        (listed.parent / row["object"] for row in rows if row["kind"] == "candidate"), archive
    )
    return archive


def with_archive(built: LinkLine, archive: Path) -> LinkLine:
    """Returns the library's commands with an archive, of which a link takes the objects that the library refers to."""
    return replace(built, link=replace(built.link, argv=(*built.link.argv, str(archive))))


def _archived(objects: Iterable[Path], archive: Path) -> None:
    archive.unlink(missing_ok=True)
    subprocess.run(["ar", "qcsD", archive, *objects], check=True)


def link(
    built: LinkLine, registering: Sequence[str], replaced: Mapping[str, Path], folder: Path
) -> Path:
    """Links a library with other files and strips it.

    Args:
      built: the commands.
      registering: the objects or archives with the registrations of kernels and ops.
      replaced: other files for archives of the link.
      folder: for the libraries.

    Returns:
      The stripped library, which has the name that a program loads.

    Raises:
      CommandError: the linker failed.
    """
    library, stripped = folder / "unstripped.so", folder / "libtensorflow-core.so"
    words = built.link.with_files(str(library), registering)
    argv = [str(replaced.get(word, word)) for word in words]
    done = subprocess.run(argv, cwd=built.root, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise CommandError(done.stderr)
    strip = built.strip.with_files(str(stripped), [str(library)])
    subprocess.run(strip, cwd=built.root, check=True)
    return stripped


def linked(
    built: LinkLine, parts: Sequence[Source], fast: frozenset[str], folder: Path
) -> tuple[Path, Sizes]:
    """Links a library with the sources of some groups compiled for speed.

    Args:
      built: the commands that link the library.
      parts: its sources.
      fast: the names of the groups that are compiled for speed.
      folder: for the files, which have the names that a program loads.

    Returns the stripped library and its sizes.
    """
    chosen = [(s.helper, s.hot if s.group in fast else s.cold) for s in parts]
    manifest, archive = folder / "manifest.o", folder / "libhelpers.a"
    manifest.write_bytes(dict(built.units())["manifest.pic.o"])
    _archived([path for is_helper, path in chosen if is_helper], archive)
    objects = [str(path) for is_helper, path in chosen if not is_helper] + [str(manifest)]
    replaced = {word: archive for word in built.link.argv if word.endswith(_HELPERS)}
    stripped = link(built, objects, replaced, folder)
    data = stripped.read_bytes()
    return stripped, Sizes(LinkedElf(data, "the library linked again").text_bytes, len(data))
