"""From the linker's map to the report: every byte of the stripped file is somebody's, or told by name."""

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from tfcarve.selection.need import Need
from tfcarve.selection.selection import Selection
from tfcarve.size import demangle
from tfcarve.size.binary import Addresses, Binary
from tfcarve.size.classes import class_of
from tfcarve.size.link_map import LinkMap
from tfcarve.size.merged import Merged
from tfcarve.size.origin import LINKER, Origin, origin, unit_sources
from tfcarve.size.report import Definition, Entry, Kernel, Report

# Symbols under so many bytes are summed up for each class and file: a library has tens of thousands.
SMALL = 128

_Key = tuple[Origin, str, str]


def measures(stripped: bytes, text_bytes: int) -> dict[str, int]:
    """Returns the sizes that budgets are about, in bytes."""
    packed = len(gzip.compress(stripped, compresslevel=9, mtime=0))
    return {"stripped": len(stripped), "text": text_bytes, "gzip": packed}


def report(
    platform: str,
    stripped: bytes,
    binary: Binary,
    link_map: LinkMap,
    objects: Iterable[tuple[str, bytes]],
    selection: Selection,
) -> Report:
    """Attributes the bytes of a stripped library.

    Args:
      platform: its name, for the report.
      stripped: the library.
      binary: the same, read.
      link_map: of its link.
      objects: (name as in the map, content) of what was linked, for the strings that the linker merged.
      selection: what the library was carved to.

    Returns:
      Report: its entries sum to the file's size.
    """
    namer = _Namer(selection, link_map)
    found: Counter[_Key] = Counter()
    in_file = {s.name: s for s in binary.sections if s.file_bytes}
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
                binary.content(piece.address, piece.size), piece.name
            ):
                if source is not None:
                    add(piece.section, namer.key(source.owner, source.section), size)
    for entry in binary.table_entries():
        about = addresses.at(entry.address)
        if about is not None and entry.section in left:
            piece = owned[about]
            add(entry.section, namer.key(piece.owner, piece.symbol or piece.name), entry.size)
    for name, size in left.items():
        found[(Origin(LINKER, name), "", "")] += size
    headers = min(binary.header_bytes, len(stripped) - found.total())
    found[(Origin(LINKER, "headers"), "", "")] += headers
    found[(Origin(LINKER, "padding between sections"), "", "")] += len(stripped) - found.total()
    return Report(
        platform,
        measures(stripped, binary.text_bytes),
        _entries(found),
        _kernels(selection),
        _definitions(selection),
        tuple(m.path for m in selection.models),
    )


def _live(objects: Iterable[tuple[str, bytes]], owners: set[str]) -> Iterable[tuple[str, bytes]]:
    return ((owner, data) for owner, data in objects if owner in owners)


class _Namer:
    """Tells of an object and a symbol in it whose they are, each object looked up once."""

    def __init__(self, selection: Selection, link_map: LinkMap) -> None:
        self._units = unit_sources(selection)
        self._classes: Mapping[str, tuple[str, ...]] = {
            file: tuple(sorted({k.clazz for k in selection.kernels if k.file == file}))
            for file in selection.files
        }
        self._origins: dict[str, Origin] = {}
        self._plain = demangle.demangled(
            _mangled(p.symbol or p.name) for p in link_map.pieces if p.owner
        )

    def key(self, owner: str, symbol: str) -> _Key:
        if owner not in self._origins:
            self._origins[owner] = origin(owner, self._units)
        whose = self._origins[owner]
        mangled = _mangled(symbol)
        name = self._plain.get(mangled, mangled)
        classes = self._classes.get(whose.file, ())
        return whose, class_of(name, classes) if classes else "", name


def _mangled(name: str) -> str:
    """What a section is named after: .text._ZN…, .rodata._ZN….str1.1; else the name itself."""
    at = name.find("._Z")
    return name[at + 1 :].partition(".")[0] if name.startswith(".") and at > 0 else name


def _entries(found: Mapping[_Key, int]) -> tuple[Entry, ...]:
    summed: Counter[tuple[str, str, str, str]] = Counter()
    for (whose, clazz, symbol), size in found.items():
        summed[(whose.part, whose.file, clazz, symbol if size >= SMALL else "")] += size
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
