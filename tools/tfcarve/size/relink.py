"""Measures marginal sizes by relinking a library without a part of its selection."""

import hashlib
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tfcarve import files
from tfcarve.emit import units
from tfcarve.errors import InvalidInput
from tfcarve.objfile.open_linked import open_linked
from tfcarve.releases.release import Release
from tfcarve.selection.selection import Selection
from tfcarve.size.attribute import measures
from tfcarve.size.link_line import LinkLine
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.removal import Target, without
from tfcarve.size.report import Measure


class Relinker:
    """Relinks a library with other units.

    Args:
      line: how it was linked.
      selection: what its units were generated from.
      release: the release of the selection.
      recompile: whether units with fewer registrations are recompiled; if not, they are linked unchanged.

    Raises:
      InvalidInput: the library has no object of a unit of the selection.
    """

    def __init__(
        self, line: LinkLine, selection: Selection, release: Release, *, recompile: bool
    ) -> None:
        self._line = line
        self.selection = selection
        self._recompile = recompile
        self._texts = units.units(selection)
        self._hot = units.hot_names(selection, release)
        self._objects = {_stem(name): content for name, content in line.units()}
        missing = {_stem(name) for name in self._texts} - self._objects.keys()
        if missing:
            raise InvalidInput(
                f"{line.link.source}: has no object of the unit {min(missing)}: was the library built from another selection?"
            )
        self._whole: Mapping[Measure, int] | None = None

    @property
    def whole(self) -> Mapping[Measure, int]:
        """Sizes of the library relinked with all of its units."""
        if self._whole is None:
            self._whole = self.sizes(self._objects)
        return self._whole

    def marginal_size(self, target: Target) -> MarginalSize:
        """Returns the marginal size of a target."""
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
            recompiled=named if self._recompile else (),
            kept=() if self._recompile else named,
            exact=self._recompile or not named,
        )

    def sizes(self, objects: Mapping[str, bytes]) -> Mapping[Measure, int]:
        """Relinks the library with the objects of some units, and measures it.

        Args:
          objects: contents of the objects, by name.

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
        return measures(data, open_linked(data, "the relinked library").text_bytes)

    def _compiled(self, name: str, text: bytes) -> bytes:
        """The object of a unit, from the user's cache if it was compiled with the same flags before."""
        line = self._line
        command = line.hot_compile if name in self._hot else line.compile
        key = hashlib.sha256(b"\0".join([text, *(a.encode() for a in command.argv)])).hexdigest()
        cached = files.cache_directory() / "sizes" / "objects" / f"{key}.o"
        if not cached.is_file():
            with tempfile.TemporaryDirectory() as folder:
                source, output = Path(folder, name), Path(folder, "unit.o")
                source.write_bytes(text)
                _run(command.with_files(str(output), [str(source)]), line.root, f"compiling {name}")
                files.write_if_changed(cached, output.read_bytes())
        return cached.read_bytes()


def _stem(name: str) -> str:
    """The name of a unit or of its object without extension: a__b.cc, a__b.pic.o."""
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
