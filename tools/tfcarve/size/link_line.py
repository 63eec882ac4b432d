"""link.json, which the rules write: how a library was linked and how its units were compiled."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from tfcarve import files, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.objfile import archive
from tfcarve.size.origin import Library

VERSION: Literal[3] = 3


class Command(JsonDocument, frozen=True):
    """The arguments of a command, and which of them are its output file and the source file to replace."""

    argv: tuple[str, ...]
    output: str
    source: str

    def with_files(self, output: str, sources: Sequence[str]) -> tuple[str, ...]:
        """Returns the arguments with another output, and with `sources` for the source."""
        return tuple(
            word
            for argument in self.argv
            for word in (
                sources
                if argument == self.source
                else (_with_output(argument, self.output, output),)
            )
        )


def _with_output(argument: str, old: str, new: str) -> str:
    """Replaces an output file, also at the end of a flag: --output=FILE, -Wl,-o,FILE."""
    if argument == old or argument.endswith(("=" + old, "," + old)):
        return argument.removesuffix(old) + new
    return argument


class LinkFile(JsonDocument, frozen=True, kw_only=True):
    """The content of link.json.

    Attributes:
      version: VERSION.
      platform: name of the platform.
      link: links the library with its symbols; its source is the archive of the units.
      strip: copies the library without symbols; its source is the library.
      compile: compiles a unit; its source is the unit.
      hot_compile: compiles a unit with the flags of hot sources.
      libraries: archives and objects of the link, including the units', in link order, with their parts.
    """

    version: Literal[3]
    platform: str
    link: Command
    strip: Command
    compile: Command
    hot_compile: Command
    libraries: tuple[Library, ...]


class LinkLine(LinkFile, frozen=True, kw_only=True):
    """A link.json, and the folder `root` in which its commands run and its paths start."""

    root: Path

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Yields (name as in a linker's map, content) of each object that the link read, in order."""
        for library in self.libraries:
            content = files.read_bytes(self.root / library.path)
            if not content.startswith(archive.MAGIC):
                yield library.path, content
                continue
            for name, member in archive.members(content, library.path):
                yield f"{library.path}({name})", member

    def units(self) -> tuple[tuple[str, bytes], ...]:
        """Returns the name and the content of each unit's object, in archive order."""
        path = self.root / self.link.source
        return tuple(archive.members(files.read_bytes(path), str(path)))


def load(path: Path, root: Path | None) -> LinkLine:
    """Reads link.json.

    Args:
      path: the file.
      root: the folder that its paths start from; None for the execution root of the Bazel that wrote it.

    Raises:
      InvalidInput: it is no link.json of VERSION, or its archive of units does not exist.
    """
    try:
        file = json_codec.decode(files.read_bytes(path), LinkFile, str(path))
    except InvalidInput as error:
        raise InvalidInput(
            f"{error}: expected the link.json of a library's output group `sizes`"
        ) from None
    root = root if root is not None else _execution_root(path)
    if not (root / file.link.source).is_file():
        raise InvalidInput(
            f"{path}: {file.link.source} does not exist in {root}: pass the folder of its paths with --root"
        )
    return LinkLine(root=root, **msgspec.structs.asdict(file))


def _execution_root(path: Path) -> Path:
    """Bazel's outputs are in <execution root>/bazel-out."""
    for folder in path.resolve().parents:
        if folder.name == "bazel-out":
            return folder.parent
    return Path()
