"""What a library comes to without a part of its selection: by linking it again."""

import hashlib
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tfcarve import files
from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size.attribute import measures
from tfcarve.size.elf import Elf
from tfcarve.size.link_line import LinkLine
from tfcarve.size.without import Target, without


@dataclass(frozen=True, slots=True)
class MarginalSize:
    """What leaving something out saves.

    Fields:
      target: what was left out.
      saved: bytes by measure (stripped, text, gzip).
      dropped: sources whose unit is no longer linked.
      recompiled: sources whose unit was compiled again with less in it.
      kept: sources whose unit has something to lose but was linked as it is: the result is a lower bound.
    """

    target: str
    saved: Mapping[str, int]
    dropped: tuple[str, ...]
    recompiled: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether every unit is as a build without the target would make it."""
        return not self.kept


class Relinker:
    """Links a library again with other units.

    Args:
      line: how it was linked.
      selection: what its units were made for.
      recompile: whether units that lose a part are compiled again; else they are linked as they are.
    """

    def __init__(self, line: LinkLine, selection: Selection, *, recompile: bool) -> None:
        self._line = line
        self.selection = selection
        self._recompile = recompile
        self._texts = units.units(selection)
        self._hot = units.hot_names(selection, known.nearest(selection.tensorflow.version))
        self._objects = {_stem(name): content for name, content in line.units()}
        missing = {_stem(name) for name in self._texts} - self._objects.keys()
        if missing:
            raise InvalidInput(
                f"{line.link.source}: has no object of the unit {min(missing)}: the library was built for another selection"
            )
        self._whole: Mapping[str, int] | None = None

    @property
    def whole(self) -> Mapping[str, int]:
        """Sizes of the library linked again with all of its units."""
        if self._whole is None:
            self._whole = self.sizes(self._objects)
        return self._whole

    def marginal_size(self, target: Target) -> MarginalSize:
        """Returns what the library saves without `target`."""
        reduced = without(self.selection, target)
        sources = {units.file_name(source): source for source in self.selection.files}
        texts = units.units(reduced)
        objects = dict(self._objects)
        dropped = sorted(self._texts.keys() - texts.keys())
        for name in dropped:
            del objects[_stem(name)]
        changed = sorted(name for name, text in texts.items() if self._texts[name] != text)
        if self._recompile:
            for name in changed:
                objects[_stem(name)] = self._compiled(name, texts[name])
        less = self.sizes(objects)
        named = tuple(sources[name] for name in changed)
        return MarginalSize(
            target.text(),
            {measure: size - less[measure] for measure, size in self.whole.items()},
            tuple(sources[name] for name in dropped),
            named if self._recompile else (),
            () if self._recompile else named,
        )

    def sizes(self, objects: Mapping[str, bytes]) -> Mapping[str, int]:
        """Links the library with these units' objects and measures it.

        Raises:
          InvalidInput: the linker or strip failed.
        """
        line = self._line
        with tempfile.TemporaryDirectory() as folder:
            placed = [Path(folder, f"{number}.o") for number in range(len(objects))]
            for path, content in zip(placed, objects.values(), strict=True):
                path.write_bytes(content)
            library, stripped = Path(folder, "library"), Path(folder, "stripped")
            _run(
                line.link.with_files(str(library), [str(p) for p in placed]), line.root, "the link"
            )
            _run(line.strip.with_files(str(stripped), [str(library)]), line.root, "strip")
            data = stripped.read_bytes()
        return measures(data, Elf(data, "the library linked again").text_bytes)

    def _compiled(self, name: str, text: bytes) -> bytes:
        """The object of a unit, kept in the user's cache: the same text and flags give the same object."""
        line = self._line
        command = line.hot_compile if name in self._hot else line.compile
        key = hashlib.sha256(b"\0".join([text, *(a.encode() for a in command.argv)])).hexdigest()
        kept = files.cache_directory() / "sizes" / "objects" / f"{key}.o"
        if not kept.is_file():
            with tempfile.TemporaryDirectory() as folder:
                source, output = Path(folder, name), Path(folder, "unit.o")
                source.write_bytes(text)
                _run(command.with_files(str(output), [str(source)]), line.root, f"compiling {name}")
                files.write_if_changed(kept, output.read_bytes())
        return kept.read_bytes()


def _stem(name: str) -> str:
    """A unit's or its object's name without extension: a__b.cc, a__b.pic.o."""
    for extension in (".pic.o", ".o"):
        if name.endswith(extension):
            return name.removesuffix(extension)
    return name.rpartition(".")[0]


def _run(argv: Sequence[str], root: Path, what: str) -> None:
    try:
        done = subprocess.run(argv, cwd=root, text=True, capture_output=True, check=False)
    except OSError as error:
        raise InvalidInput(f"{what}: {argv[0]} cannot be run in {root}: {error.strerror}") from None
    if done.returncode:
        raise InvalidInput(f"{what} failed:\n{done.stderr.strip()[-2000:]}")
