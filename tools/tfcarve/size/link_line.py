"""How a library was linked and how its units were compiled: link.json, which the rules write."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tfcarve import files, json_form
from tfcarve.errors import InvalidInput
from tfcarve.size import archive

VERSION = 2


@dataclass(frozen=True, slots=True)
class Command:
    """A command's arguments, and which of them are the files that another run replaces."""

    argv: tuple[str, ...]
    output: str
    source: str

    def with_files(self, output: str, sources: Sequence[str]) -> tuple[str, ...]:
        """Returns the arguments with another output, and other sources in the place of the one."""
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
    """A flag may have the file's name after it: --output=FILE, -Wl,-o,FILE."""
    if argument == old or argument.endswith(("=" + old, "," + old)):
        return argument.removesuffix(old) + new
    return argument


@dataclass(frozen=True, slots=True)
class LinkLine:
    """A link. All paths are as the commands have them, from `root`.

    Fields:
      root: the folder that the commands run in.
      platform: its name.
      link: makes the library with its symbols; its source is the archive of the units.
      strip: copies the library without symbols; its source is the library.
      compile: makes an object of a unit; its source is the unit.
      hot_compile: the same for a unit that is compiled for speed.
      libraries: the archives and objects of the link, the units' among them, in link order.
    """

    root: Path
    platform: str
    link: Command
    strip: Command
    compile: Command
    hot_compile: Command
    libraries: tuple[str, ...]

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Yields (name as a linker's map has it, content) of all that the link read, in order."""
        for path in self.libraries:
            content = files.read_bytes(self.root / path)
            if not content.startswith(b"!<arch>\n"):
                yield path, content
                continue
            for name, member in archive.members(content, path):
                yield f"{path}({name})", member

    def units(self) -> tuple[tuple[str, bytes], ...]:
        """Returns the name and the content of each unit's object, in archive order."""
        path = self.root / self.link.source
        return tuple(archive.members(files.read_bytes(path), str(path)))


_COMMAND = {"argv": [str], "output": str, "source": str}
_FORM: Mapping[str, Any] = {
    "version": int,
    "platform": str,
    "link": _COMMAND,
    "strip": _COMMAND,
    "compile": _COMMAND,
    "hot_compile": _COMMAND,
    "libraries": [str],
}


def load(path: Path, root: Path | None) -> LinkLine:
    """Reads link.json.

    Args:
      path: the file.
      root: the folder that its paths start from; None for the execution root of the Bazel that wrote it.

    Raises:
      InvalidInput: it is none, or its archive of units is not there.
    """
    try:
        document = json.loads(files.read_json(path))
        if not isinstance(document, dict) or document.get("version") != VERSION:
            raise ValueError(f"no link.json of version {VERSION}")
        json_form.check(document, _FORM, "link")
        link, strip, compile_, hot_compile = (
            Command(tuple(document[c]["argv"]), document[c]["output"], document[c]["source"])
            for c in ("link", "strip", "compile", "hot_compile")
        )
        made = LinkLine(
            root if root is not None else _execution_root(path),
            document["platform"],
            link,
            strip,
            compile_,
            hot_compile,
            tuple(document["libraries"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(
            f"{path}: {error}: it comes with a library's output group `sizes`"
        ) from None
    if not (made.root / made.link.source).is_file():
        raise InvalidInput(
            f"{path}: {made.link.source} is not under {made.root}: name the folder it is under with --root"
        )
    return made


def _execution_root(path: Path) -> Path:
    """Bazel's outputs lie in <execution root>/bazel-out."""
    for folder in path.resolve().parents:
        if folder.name == "bazel-out":
            return folder.parent
    return Path()
