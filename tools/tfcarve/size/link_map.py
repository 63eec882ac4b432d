"""Reads linker maps: which input section is where in the output."""

import re
from dataclasses import dataclass

from tfcarve.errors import InvalidInput
from tfcarve.size.addresses import Addresses


@dataclass(frozen=True, slots=True)
class Piece:
    """An input section, or a symbol of one, in the output.

    `owner` is the object as the linker names it, `archive(member)` or a path; it is empty for what the
    linker generated. `address` and `size` are in bytes; `section` is the output section.
    """

    address: int
    size: int
    section: str
    owner: str
    name: str
    symbol: str


@dataclass(frozen=True, slots=True)
class LinkMap:
    """The pieces of a link, in the map's order, and the kind of the linker: lld, ld64 or gnu."""

    linker: str
    pieces: tuple[Piece, ...]


def parse(text: str, where: str) -> LinkMap:
    """Reads a map of lld (ELF), ld64.lld (Mach-O), GNU ld or gold.

    Args:
      text: the map.
      where: its name, for messages.

    Raises:
      InvalidInput: it is no such map, or has no input sections.
    """
    head = text[:4096]
    if re.match(r"\s*VMA\s+LMA\s+Size\s+Align\s+Out\s+In\s+Symbol", head):
        found = LinkMap("lld", tuple(_lld(text)))
    elif head.startswith("# Path:"):
        found = LinkMap("ld64", tuple(_ld64(text, where)))
    elif _GNU_START.search(text):
        found = LinkMap("gnu", tuple(_gnu(text)))
    else:
        raise InvalidInput(
            f"{where}: not a linker map: expected one of lld (-Map), ld64.lld (-map) or GNU ld (-Map)"
        )
    if not found.pieces:
        raise InvalidInput(
            f"{where}: a map of {found.linker} without input sections: is it truncated?"
        )
    return found


_LLD_ROW = re.compile(r"\s*([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+(\d+) (.*)")
_LLD_INPUT = re.compile(r"(.*):\(([^()]*)\)\Z")
# The indentation of input sections, and of symbols.
_LLD_SECTION, _LLD_SYMBOL = " " * 8, " " * 16


def _lld(text: str) -> list[Piece]:
    """Reads the table of lld (lld/ELF/MapFile.cpp): VMA, LMA, size in hexadecimal, alignment, then the names."""
    pieces: list[Piece] = []
    section = ""
    for line in text.splitlines()[1:]:
        row = _LLD_ROW.match(line)
        if row is None:
            continue
        address, size, rest = int(row[1], 16), int(row[3], 16), row[5]
        if rest.startswith(_LLD_SYMBOL):
            # The first symbol of an input section names it.
            last = pieces[-1] if pieces else None
            if last and not last.symbol and last.address <= address < last.address + last.size:
                pieces[-1] = Piece(
                    last.address, last.size, section, last.owner, last.name, rest.strip()
                )
        elif rest.startswith(_LLD_SECTION):
            found = _LLD_INPUT.match(rest.strip())
            if found:
                owner = "" if found[1] == "<internal>" else found[1]
                pieces.append(Piece(address, size, section, owner, found[2], ""))
        else:
            section = rest.strip()
    return pieces


# gold writes the same form under the heading "Memory map".
_GNU_START = re.compile(r"^(?:Linker script and memory map|Memory map)$", re.MULTILINE)
_GNU_PLACED = re.compile(r"^ (\S*)\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$")
_GNU_OUTPUT = re.compile(r"^(\.?[A-Za-z_]\S*)(?:\s+0x[0-9a-f]+\s+0x[0-9a-f]+.*)?$")
_GNU_LONG = re.compile(r"^ [._A-Za-z]\S*$")


def _gnu(text: str) -> list[Piece]:
    """GNU ld's and gold's listing. It has no local symbols; merged strings have their sizes before merging."""
    pieces: list[Piece] = []
    section, long_name = "", ""
    start = _GNU_START.search(text)
    for line in text[start.end() if start else len(text) :].splitlines():
        if line.startswith(("OUTPUT(", "Cross Reference")):
            break
        if _GNU_LONG.match(line):
            long_name = line
            continue
        line, long_name = (long_name + " " + line.strip() if long_name else line), ""
        placed = _GNU_PLACED.match(line)
        if placed and not placed[1].startswith("*"):
            address, size, name = int(placed[2], 16), int(placed[3], 16), placed[1]
            if size and address:
                pieces.append(Piece(address, size, section, placed[4], name, ""))
        elif output := _GNU_OUTPUT.match(line):
            section = output[1]
    return pieces


# Numbers of more digits would be those of more files than a link can have.
_LD64_FILE = re.compile(r"\[\s*(\d{1,9})\] (.*)", re.ASCII)
_LD64_SECTION = re.compile(r"0x([0-9A-Fa-f]+)\s+0x([0-9A-Fa-f]+)\s+(\S+)\s+(\S+)")
_LD64_SYMBOL = re.compile(r"0x([0-9A-Fa-f]+)\s+0x([0-9A-Fa-f]+)\s+\[\s*(\d{1,9})\] (.*)", re.ASCII)


def _ld64(text: str, where: str) -> list[Piece]:
    """ld64's tables of object files, sections and symbols (lld/MachO/MapFile.cpp writes the same)."""
    files: dict[int, str] = {}
    sections: list[tuple[int, int, str]] = []
    symbols: list[tuple[int, int, str, str]] = []
    table = ""
    for line in text.splitlines():
        if line.startswith("# "):
            title = line[2:].partition(":")[0]
            if title in ("Object files", "Sections", "Symbols", "Dead Stripped Symbols"):
                table = title
        elif table == "Object files" and (file := _LD64_FILE.match(line)):
            files[int(file[1])] = "" if file[2] == "linker synthesized" else file[2]
        elif table == "Sections" and (part := _LD64_SECTION.match(line)):
            sections.append((int(part[1], 16), int(part[2], 16), f"{part[3]},{part[4]}"))
        elif table == "Symbols" and (symbol := _LD64_SYMBOL.match(line)):
            address, size, number = int(symbol[1], 16), int(symbol[2], 16), int(symbol[3])
            if number not in files:
                raise InvalidInput(
                    f"{where}: symbol {symbol[4]!r:.80} is of file {number}, which is not listed"
                )
            symbols.append((address, size, files[number], symbol[4]))
    spans = Addresses([(address, size) for address, size, _ in sections])

    def section(address: int) -> str:
        index = spans.at(address)
        return "" if index is None else sections[index][2]

    return [Piece(a, size, section(a), owner, name, name) for a, size, owner, name in symbols]
