"""What the objects of units and helpers define and leave to each other, by their symbol tables."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from tfcarve.objfile import archive

# How the names of TensorFlow's own begin, somewhere inside: others are the C++ library's.
_OURS = "10tensorflow"


@dataclass(frozen=True)
class Symbols:
    """TensorFlow's symbols in an object, by their linker's names."""

    defined: frozenset[str]
    undefined: frozenset[str]


def of_object(content: bytes) -> Symbols:
    """Reads an ELF object's global symbols."""
    sides: dict[bool, set[str]] = {True: set(), False: set()}
    table = ELFFile(io.BytesIO(content)).get_section_by_name(".symtab")
    for symbol in table.iter_symbols() if table else ():
        if symbol["st_info"]["bind"] != "STB_LOCAL" and _OURS in symbol.name:
            sides[symbol["st_shndx"] != "SHN_UNDEF"].add(symbol.name)
    return Symbols(frozenset(sides[True]), frozenset(sides[False]))


def by_source(archives: Iterable[Path]) -> dict[str, Symbols]:
    """Returns the symbols of all objects in static libraries, by the source's path from TensorFlow's root."""
    return {
        name.partition(".")[0].replace("__", "/") + ".cc": of_object(content)
        for file in archives
        for name, content in archive.members(file.read_bytes(), str(file))
    }


def left_to_others(
    unit: str, helpers: Iterable[str], objects: Mapping[str, Symbols]
) -> dict[str, list[str]]:
    """What a unit and its helpers ask for, do not define, and another of `objects` does.

    Returns the symbols by the source that defines them; a link of the unit and its helpers alone would fail.
    """
    mine = [objects[source] for source in (unit, *helpers) if source in objects]
    missing = frozenset[str]().union(*(o.undefined for o in mine))
    missing -= frozenset[str]().union(*(o.defined for o in mine))
    found = {source: sorted(missing & o.defined) for source, o in objects.items()}
    return {source: symbols for source, symbols in found.items() if symbols}
