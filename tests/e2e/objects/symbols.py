"""The symbols that objects of units and helper sources define and need from each other."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from tfcarve.objfile import archive

# In the mangled names of TensorFlow's symbols, but not of the C++ library's.
_TENSORFLOW = "10tensorflow"


@dataclass(frozen=True)
class Symbols:
    """The mangled names of TensorFlow's symbols in an object."""

    defined: frozenset[str]
    undefined: frozenset[str]


def of_object(content: bytes) -> Symbols:
    """Reads an ELF object's global symbols."""
    by_defined: dict[bool, set[str]] = {True: set(), False: set()}
    table = ELFFile(io.BytesIO(content)).get_section_by_name(".symtab")
    for symbol in table.iter_symbols() if table else ():
        if symbol["st_info"]["bind"] != "STB_LOCAL" and _TENSORFLOW in symbol.name:
            by_defined[symbol["st_shndx"] != "SHN_UNDEF"].add(symbol.name)
    return Symbols(frozenset(by_defined[True]), frozenset(by_defined[False]))


def by_source(archives: Iterable[Path]) -> dict[str, Symbols]:
    """Returns the symbols of all objects in static libraries, by source (path from TensorFlow's root)."""
    return {
        name.partition(".")[0].replace("__", "/") + ".cc": of_object(content)
        for file in archives
        for name, content in archive.members(file.read_bytes(), str(file))
    }


def needed_from_others(
    unit: str, helpers: Iterable[str], objects: Mapping[str, Symbols]
) -> dict[str, list[str]]:
    """Returns the symbols that a unit and its helpers use and only other `objects` define, by defining source.

    If there are any, linking the unit with its helpers alone fails.
    """
    mine = [objects[source] for source in (unit, *helpers) if source in objects]
    missing = frozenset[str]().union(*(o.undefined for o in mine))
    missing -= frozenset[str]().union(*(o.defined for o in mine))
    found = {source: sorted(missing & o.defined) for source, o in objects.items()}
    return {source: symbols for source, symbols in found.items() if symbols}
