"""Tests of reading linker maps, with maps of real linkers."""

import contextlib
from pathlib import Path

import mini_library
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfcarve.errors import InvalidInput
from tfcarve.size import link_map


def _placed(parsed: link_map.LinkMap, name: str) -> link_map.Piece:
    (piece,) = [p for p in parsed.pieces if name in (p.symbol, p.name)]
    return piece


def test_lld(tmp_path: Path) -> None:
    built = mini_library.build(tmp_path, mini_library.selection())
    parsed = link_map.parse(built.map.read_text(), "map")
    assert parsed.linker == "lld"
    table = _placed(parsed, "mini::kTable")
    assert (table.size, table.section) == (20000, ".rodata")
    assert table.owner == "libunits.a(kernels__table_op.pic.o)"
    assert not any("NeverUsed" in p.symbol for p in parsed.pieces), "the linker dropped it"


@pytest.mark.parametrize("ld", ["bfd", "gold"])
def test_gnu_ld(tmp_path: Path, ld: str) -> None:
    built = mini_library.build(tmp_path, mini_library.selection(), ld=ld)
    parsed = link_map.parse(built.map.read_text(), "map")
    assert parsed.linker == "gnu"
    table = _placed(parsed, ".rodata._ZN4miniL6kTableE")
    assert (table.size, table.section) == (20000, ".rodata")
    assert table.owner == "libunits.a(kernels__table_op.pic.o)"
    assert not any("NeverUsed" in p.name for p in parsed.pieces), "what was dropped has no address"


def test_ld64_lld(tmp_path: Path) -> None:
    _, map_file = mini_library.build_macho(tmp_path)
    parsed = link_map.parse(map_file.read_text(), "map")
    assert parsed.linker == "ld64"
    table = _placed(parsed, "_table")
    assert (table.size, table.section) == (20000, "__TEXT,__const")
    assert table.owner.endswith("table.o")


@pytest.mark.parametrize("text", ["", "hello\n", "{}", "\0" * 100])
def test_invalid_map(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"m\.map: not a linker map"):
        link_map.parse(text, "m.map")


def test_truncated_map() -> None:
    head = "             VMA              LMA     Size Align Out     In      Symbol\n"
    with pytest.raises(InvalidInput, match="is it truncated"):
        link_map.parse(head, "m.map")


def test_symbol_of_an_unlisted_file() -> None:
    text = "# Path: x\n# Object files:\n# Symbols:\n0x1000\t0x10\t[ 7] _main\n"
    with pytest.raises(InvalidInput, match="is of file 7, which is not listed"):
        link_map.parse(text, "m.map")


def test_a_file_number_of_many_digits_is_no_file() -> None:
    number = "7" * 5000
    text = f"# Path: x\n# Object files:\n[ {number}] a.o\n[ 1] b.o\n# Sections:\n"
    text += "0x1000\t0x10\t__TEXT\t__text\n0x1010\t0x10\t__TEXT\t__const\n# Symbols:\n"
    text += f"0x1000\t0x10\t[ {number}] _a\n0x1010\t0x8\t[ 1] _b\n0x1018\t0x8\t[ 1] _c\n"
    pieces = link_map.parse(text, "m.map").pieces
    assert [(p.owner, p.symbol, p.section) for p in pieces] == [
        ("b.o", "_b", "__TEXT,__const"),
        ("b.o", "_c", "__TEXT,__const"),
    ]


@given(st.text(max_size=300), st.integers(0, 2))
def test_any_text_is_read_or_rejected(text: str, kind: int) -> None:
    heads = (
        "             VMA              LMA     Size Align Out     In      Symbol\n",
        "# Path: x\n# Object files:\n[  0] a.o\n# Symbols:\n",
        "Memory map\n",
    )
    with contextlib.suppress(InvalidInput):
        assert link_map.parse(heads[kind] + text, "map").pieces
