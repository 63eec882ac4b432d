"""Compiles an override and TensorFlow's file of the same path, and links a library again with either.

The commands are those of the library (link.json). A kernel source is compiled as the unit or helper source that includes
it; the override is found because its folder precedes TensorFlow's tree, so TensorFlow's file is compiled without that
folder. The object then replaces the member of the library's archive.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from msgspec.structs import replace

from benchmarks import measure, workspaces
from benchmarks.sources import relink
from benchmarks.sources.relink import CommandError
from demo.nested import NestedError
from tfcarve.app.workspace import Workspace
from tfcarve.emit import hot, units
from tfcarve.objfile import archive
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size.link_line import Command, LinkLine

# The include folders of overrides: of those that releases share, and of the release's own.
_OVERRIDE_KERNELS = tuple(
    f"/third_party/tensorflow{folder}/_virtual_includes/override_kernels"
    for folder in ("", f"/releases/{known.release().name}")
)
_OVERRIDES = "third_party/tensorflow/overrides/core"
_SHIMS = "/tools/runtime/shims"
_STRIPPED = "libtensorflow-core.so"
_PRECOMPILED = ("-include", "tensorflow_headers.h")
_PREFIX_MAP = "-fmacro-prefix-map="


@dataclass(frozen=True)
class Compile:
    """A command that compiles a source, and the source."""

    command: Command
    source: str


@dataclass(frozen=True)
class Exchange:
    """An override and TensorFlow's file.

    Attributes:
      library: the archive with the override's object, as the link names it.
      member: the object's name in the archive.
      override, tensorflow: compile either file.
    """

    library: str
    member: str
    override: Compile
    tensorflow: Compile


def without_overrides(command: Command) -> Command:
    """Returns the command that compiles TensorFlow's kernel sources.

    Raises:
      NestedError: the command does not search the two folders of overrides.
    """
    left = tuple(word for word in command.argv if not word.endswith(_OVERRIDE_KERNELS))
    if len(left) != len(command.argv) - len(_OVERRIDE_KERNELS):
        folders = ", *".join(_OVERRIDE_KERNELS)
        raise NestedError(f"the compile command does not have the include folders *{folders}")
    return replace(command, argv=left)


def without_precompiled_header(command: Command) -> Command:
    """Returns the command without the precompiled header; raises NestedError if it has none."""
    argv = command.argv
    for start in range(len(argv)):
        if argv[start : start + 2] == _PRECOMPILED:
            return replace(command, argv=argv[:start] + argv[start + 2 :])
    raise NestedError(f"the compile command has no {' '.join(_PRECOMPILED)}")


def _ending(words: Iterable[str], end: str) -> str:
    """Returns the one word with an ending; raises NestedError."""
    found = [word for word in words if word.endswith(end)]
    if len(found) != 1:
        raise NestedError(f"{len(found)} words of a command of link.json end with {end}, not 1")
    return found[0]


def _tensorflow_root(command: Command) -> str:
    """Returns TensorFlow's tree, as the command names it."""
    mapped = (word for word in command.argv if word.startswith(_PREFIX_MAP))
    return _ending(mapped, "/=").removeprefix(_PREFIX_MAP).removesuffix("/=")


def _tfcarve_root(command: Command) -> str:
    sources = (word for word in command.argv if not word.startswith("bazel-out/"))
    return _ending(sources, _SHIMS).removesuffix(_SHIMS)


def of_kernel(built: LinkLine, selection: Selection, path: str, folder: Path) -> Exchange:
    """Returns the exchange of a kernel source or helper source; writes the unit to `folder`."""
    name = units.file_name(path)
    is_helper = path in selection.helpers
    texts = units.helpers(selection, known.release()) if is_helper else units.units(selection)
    unit = folder / name
    unit.write_bytes(texts[name])
    is_hot = hot.group_of(path, known.release()) is not None
    command = built.hot_compile if is_hot else built.compile
    return Exchange(
        _ending(built.link.argv, "/libhelpers.a") if is_helper else built.link.source,
        f"{unit.stem}.pic.o",
        Compile(command, str(unit)),
        Compile(without_overrides(command), str(unit)),
    )


def of_core_source(built: LinkLine, path: str) -> Exchange:
    """Returns the exchange of a source of the runtime."""
    command = without_overrides(built.compile)
    return Exchange(
        _ending(built.link.argv, "/libcore.a"),
        f"{PurePosixPath(path).stem}.pic.o",
        Compile(command, f"{_tfcarve_root(command)}/{_OVERRIDES}/{path}"),
        Compile(command, f"{_tensorflow_root(command)}/{path}"),
    )


def protoc(workspace: Workspace, platform: str, built: LinkLine) -> Sequence[str]:
    """Returns the command that generates the C++ of the core's messages."""
    query = f'mnemonic("TfProtoSources", deps({relink.LIBRARY}))'
    actions: list[dict[str, Any]] = workspace.actions(query, [workspaces.platform_flag(platform)])
    found = [
        argv
        for argv in (action["arguments"] for action in actions)
        if any(word.endswith("/" + _OVERRIDES) for word in argv)
        and _out(argv) in built.compile.argv
    ]
    if len(found) != 1:
        raise NestedError(f"{len(found)} actions generate the core's messages")
    argv: list[str] = found[0]
    return argv


def _out(argv: Sequence[str]) -> str:
    (out,) = (word for word in argv if word.startswith("--cpp_out="))
    return out.rpartition(":")[2]


def tensorflow_protoc(argv: Sequence[str], proto: str, out: Path) -> list[str]:
    """Returns the command that generates the C++ of one of TensorFlow's protos in another folder."""
    left = [
        word.replace(_out(argv), str(out)) if word.startswith("--cpp_out=") else word
        for word in argv
        if not word.endswith(("/" + _OVERRIDES, ".proto"))
    ]
    return [*left, proto]


def of_proto(built: LinkLine, argv: Sequence[str], proto: str, folder: Path) -> Exchange:
    """Returns the exchange of a proto's messages; generates TensorFlow's in `folder`.

    Args:
      built: the library.
      argv: the command of protoc().
      proto: the path.
      folder: for the generated source and header.
    """
    subprocess.run(tensorflow_protoc(argv, proto, folder), cwd=built.root, check=True)
    # The precompiled header contains the override's messages.
    command = without_precompiled_header(without_overrides(built.compile))
    tool, *words = command.argv
    source = f"{proto.removesuffix('.proto')}.pb.cc"
    return Exchange(
        _ending(built.link.argv, "/libcore.a"),
        f"{PurePosixPath(source).stem}.pic.o",
        Compile(command, f"{_out(argv)}/{source}"),
        Compile(
            replace(command, argv=(tool, "-iquote", str(folder), *words)), f"{folder}/{source}"
        ),
    )


def compiled(one: Compile, root: Path, output: Path) -> float:
    """Compiles a source and returns the seconds of CPU time; raises CommandError."""
    argv = one.command.with_files(str(output), [one.source])
    try:
        return measure.run(argv, cwd=root).cpu
    except subprocess.CalledProcessError as error:
        raise CommandError(error.stderr) from None


def replaced(library: Path, member: str, new: Path, folder: Path) -> Path:
    """Returns a copy of an archive in `folder` with another object as one of its members.

    Args:
      library: the archive.
      member: the member's name.
      new: the object, a file of that name.
      folder: where the copy is written.

    Raises:
      NestedError: the archive does not have exactly one member of that name.
    """
    names = [name for name, _ in archive.members(library.read_bytes(), str(library))]
    if names.count(member) != 1:
        raise NestedError(f"{library} has {names.count(member)} members {member}")
    copy = folder / library.name
    shutil.copyfile(library, copy)
    subprocess.run(["ar", "rD", copy, new], check=True, capture_output=True)
    return copy


def built_size(built: LinkLine) -> int:
    """Returns the size of the stripped library that Bazel linked."""
    return (built.root / built.link.source).parents[1].joinpath(_STRIPPED).stat().st_size


def stripped_size(built: LinkLine, exchange: Exchange, new: Path, folder: Path) -> int:
    """Returns the size of the stripped library with another object; raises CommandError if it does not link."""
    copy = replaced(built.root / exchange.library, exchange.member, new, folder)
    is_units = exchange.library == built.link.source
    registering = [str(copy) if is_units else built.link.source]
    return relink.link(built, registering, {exchange.library: copy}, folder).stat().st_size
