"""Attributes the bytes of a stripped library to sources, by the linker's map."""

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from tfcarve.objfile.linked import LinkedFile
from tfcarve.selection.need import Need
from tfcarve.selection.selection import Selection
from tfcarve.size import demangle
from tfcarve.size.addresses import Addresses
from tfcarve.size.classes import class_of
from tfcarve.size.link_map import LinkMap
from tfcarve.size.merged import Merged
from tfcarve.size.origin import LINKER, Origin, Origins, Part
from tfcarve.size.report import (
    VERSION,
    Definition,
    Entry,
    Kernel,
    Measure,
    Report,
    attributed_bytes,
)

# Smaller symbols are summed by class and file, since a library has tens of thousands of them.
SMALL = 128

_Key = tuple[Origin, str, str]


def measures(stripped: bytes, text_bytes: int) -> dict[Measure, int]:
    """Returns the bytes of a stripped library by measure; `text_bytes` is its LinkedFile.text_bytes."""
    packed = len(gzip.compress(stripped, compresslevel=9, mtime=0))
    return {"stripped": len(stripped), "text": text_bytes, "gzip": packed}


def report(
    platform: str,
    stripped: bytes,
    linked: LinkedFile,
    link_map: LinkMap,
    objects: Iterable[tuple[str, bytes]],
    selection: Selection,
    origins: Origins,
) -> Report:
    """Attributes the bytes of a stripped library.

    Args:
      platform: its name, for the report.
      stripped: the library.
      linked: the same library, opened.
      link_map: the map of its link.
      objects: (name as in the map, content) of the linked objects, to attribute merged strings.
      selection: what the library was carved to.
      origins: the origins of the linked objects.

    Returns:
      The report. Bytes without a source are entries of the part LINKER, named after their section.
    """
    namer = _Namer(selection, link_map, origins)
    found: Counter[_Key] = Counter()
    in_file = {s.name: s for s in linked.sections if s.file_bytes}
    left = {name: s.file_bytes for name, s in in_file.items()}

    def add(section: str, key: _Key, size: int) -> None:
        size = min(size, left[section])
        found[key] += size
        left[section] -= size

    placed = [p for p in link_map.pieces if p.section in in_file and in_file[p.section].loaded]
    addresses = Addresses([(p.address, p.size) for p in placed if p.owner])
    owned = [p for p in placed if p.owner]
    for piece in owned:
        add(piece.section, namer.key(piece.owner, piece.symbol or piece.name), piece.size)
    merged = Merged(_live(objects, {p.owner for p in owned}))
    for piece in placed:
        if not piece.owner and (".str" in piece.name or ".cst" in piece.name):
            for source, size in merged.attribute(
                linked.content(piece.address, piece.size), piece.name
            ):
                if source is not None:
                    add(piece.section, namer.key(source.owner, source.section), size)
    for entry in linked.table_entries():
        index = addresses.at(entry.address)
        if index is not None and entry.section in left:
            piece = owned[index]
            add(entry.section, namer.key(piece.owner, piece.symbol or piece.name), entry.size)
    for name, size in left.items():
        found[(Origin(LINKER, name), "", "")] += size
    headers = min(linked.header_bytes, len(stripped) - found.total())
    found[(Origin(LINKER, "headers"), "", "")] += headers
    found[(Origin(LINKER, "padding between sections"), "", "")] += len(stripped) - found.total()
    entries = _entries(found)
    return Report(
        version=VERSION,
        platform=platform,
        sizes=measures(stripped, linked.text_bytes),
        attributed=attributed_bytes(entries),
        models=tuple(m.path for m in selection.models),
        kernels=_kernels(selection),
        definitions=_definitions(selection),
        entries=entries,
    )


def _live(objects: Iterable[tuple[str, bytes]], owners: set[str]) -> Iterable[tuple[str, bytes]]:
    return ((owner, data) for owner, data in objects if owner in owners)


class _Namer:
    """Maps an object and a symbol in it to the key of an entry; looks up each object once."""

    def __init__(self, selection: Selection, link_map: LinkMap, origins: Origins) -> None:
        self._origins = origins
        self._classes: Mapping[str, tuple[str, ...]] = {
            file: tuple(sorted({k.clazz for k in selection.kernels if k.file == file}))
            for file in selection.files
        }
        self._found: dict[str, Origin] = {}
        self._plain = demangle.demangled(
            _mangled(p.symbol or p.name) for p in link_map.pieces if p.owner
        )

    def key(self, owner: str, symbol: str) -> _Key:
        if owner not in self._found:
            self._found[owner] = self._origins.of(owner)
        found = self._found[owner]
        mangled = _mangled(symbol)
        name = self._plain.get(mangled, mangled)
        classes = self._classes.get(found.file, ())
        return found, class_of(name, classes) if classes else "", name


def _mangled(name: str) -> str:
    """The symbol that a section is named after (.text._ZN…, .rodata._ZN….str1.1), or else the name itself."""
    at = name.find("._Z")
    return name[at + 1 :].partition(".")[0] if name.startswith(".") and at > 0 else name


def _entries(found: Mapping[_Key, int]) -> tuple[Entry, ...]:
    summed: Counter[tuple[Part, str, str, str]] = Counter()
    for (place, clazz, symbol), size in found.items():
        summed[(place.part, place.file, clazz, symbol if size >= SMALL else "")] += size
    return tuple(sorted(Entry(*key, size) for key, size in summed.items() if size))


def _models(needs: Iterable[Need]) -> tuple[str, ...]:
    return tuple(sorted({need.model for need in needs}))


def _kernels(selection: Selection) -> tuple[Kernel, ...]:
    ops: dict[tuple[str, str], set[str]] = defaultdict(set)
    needs: dict[tuple[str, str], list[Need]] = defaultdict(list)
    for kernel in selection.kernels:
        ops[kernel.file, kernel.clazz].add(kernel.op)
        needs[kernel.file, kernel.clazz] += kernel.needed_by
    return tuple(sorted(Kernel(*key, tuple(sorted(ops[key])), _models(needs[key])) for key in ops))


def _definitions(selection: Selection) -> tuple[Definition, ...]:
    return tuple(sorted(Definition(o.file, o.name, _models(o.needed_by)) for o in selection.ops))
