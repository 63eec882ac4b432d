"""Tests of attribution, on a library that the test links."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import mini_library
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mini_library import DOUBLE, FLOAT, RELU, TABLE, Built
from msgspec.structs import replace

import extent
from tfcarve.errors import InvalidInput
from tfcarve.objfile.linked_elf import LinkedElf
from tfcarve.objfile.linked_macho import LinkedMachO
from tfcarve.size import attribute, link_map
from tfcarve.size import report as reports
from tfcarve.size.origin import CORE, KERNELS, LINKER, Origins
from tfcarve.size.owners import EVERY, SHARED, Owners
from tfcarve.size.report import Report


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return mini_library.build(
        tmp_path_factory.mktemp("lib") / "x", mini_library.selection(double=True)
    )


@pytest.fixture(scope="module")
def report(built: Built) -> Iterator[Report]:
    yield built.report()


def test_entries_sum_to_the_file(built: Built, report: Report) -> None:
    assert sum(e.bytes for e in report.entries) == built.library.stat().st_size
    assert report.sizes["stripped"] == built.library.stat().st_size
    assert report.attributed < report.sizes["stripped"]


def test_all_loaded_bytes_with_a_source_are_attributed(report: Report) -> None:
    """The rest is named; of sections from sources it is only alignment."""
    rest = {e.file: e.bytes for e in report.entries if e.part == LINKER}
    assert {"headers", ".dynsym", ".dynstr"} <= rest.keys()
    assert rest.get(".text", 0) + rest.get(".rodata", 0) < 64
    assert not {".init_array", ".data.rel.ro", ".rela.dyn", ".eh_frame"} & rest.keys()


def test_a_table_of_known_size_belongs_to_its_kernel(report: Report) -> None:
    (table,) = [e for e in report.entries if e.symbol == "mini::kTable"]
    assert (table.part, table.file, table.clazz, table.bytes) == (KERNELS, TABLE, "TableOp", 20000)


def test_merged_strings_belong_to_their_sources(built: Built, report: Report) -> None:
    """Control: without the objects they are unattributed."""
    data = built.library.read_bytes()
    parsed = link_map.parse(built.map.read_text(), "map")
    blind = attribute.report(
        "linux_x86_64", data, LinkedElf(data, "lib"), parsed, [], built.selection, built.origins()
    )
    strings = len("relu was computed by a kernel of this source") + 1
    files, control = (r.by(lambda e: e.file) for r in (report, blind))
    assert files[RELU] - control[RELU] >= strings
    assert control[".rodata"] - files[".rodata"] >= 2 * strings


def test_classes_of_one_source_are_distinguished(report: Report) -> None:
    sizes = report.by(lambda e: e.clazz)
    assert sizes[FLOAT] > 100
    assert sizes[DOUBLE] > 100
    assert report.by(lambda e: e.part)[CORE] > 0


def test_ops_and_models(report: Report) -> None:
    owners = Owners(report)
    models = report.by(owners.model)
    assert models["b.pb"] > 20000
    assert models["a.pb"] == report.by(lambda e: e.clazz)[FLOAT]
    assert models[SHARED] > 0, "what both classes of a source share"
    ops = report.by(owners.op)
    assert ops["Table"] > 20000
    assert ops[EVERY] > report.by(lambda e: e.part)[CORE]


def test_library_with_its_symbols(built: Built) -> None:
    """What strip would remove is unattributed, by the name of its section."""
    data = built.unstripped.read_bytes()
    parsed = link_map.parse(built.map.read_text(), "map")
    report = attribute.report(
        "x",
        data,
        LinkedElf(data, "lib"),
        parsed,
        built.line().objects(),
        built.selection,
        built.origins(),
    )
    assert sum(e.bytes for e in report.entries) == len(data)
    assert {".symtab", ".strtab"} <= {e.file for e in report.entries if e.part == LINKER}


def test_json_form(report: Report) -> None:
    assert reports.parse(report.to_json(), "r") == report
    assert reports.parse(report.to_json(), "r").to_json() == report.to_json()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            b'"version": 1',
            b'"version": 9',
            r"Invalid enum value 9 - at `\$.version`: expected a size report",
        ),
        (b'"platform": "linux', b'"platforms": "linux', "unknown field `platforms`"),
        (b'"bytes": 20000', b'"bytes": "x"', r"Expected `int`, got `str` - at `\$.entries"),
        (b'"gzip"', b'"zip"', r"Invalid enum value 'zip' - at `key` in `\$.sizes`"),
        (
            b'"bytes": 20000',
            b'"bytes": 1' + b"0" * 19,
            r"Expected `int` <= 9223372036854775807 - at `\$.entries",
        ),
        (b'"attributed": ', b'"attributed": 1', "attributed: .* is not the sum of the entries"),
        (b'"gzip": ', b'"text": ', "sizes: expected stripped, text, gzip"),
        (b'"part": "core"', b'"part": "cores"', r"Invalid enum value 'cores' - at `\$.entries"),
    ],
)
def test_invalid_json(report: Report, old: bytes, new: bytes, message: str) -> None:
    data = report.to_json()
    assert old in data
    with pytest.raises(InvalidInput, match=message):
        reports.parse(data.replace(old, new), "r.json")


def test_truncated_library(built: Built) -> None:
    data = built.library.read_bytes()
    for size in (0, 3, 40, len(data) // 2):
        with pytest.raises(InvalidInput, match=r"lib\.so"):
            LinkedElf(data[:size], "lib.so")


def test_selection_of_another_library_names_no_class(built: Built) -> None:
    data = built.library.read_bytes()
    other = replace(built.selection, kernels=(), ops=(), files=())
    parsed = link_map.parse(built.map.read_text(), "map")
    report = attribute.report(
        "x",
        data,
        LinkedElf(data, "l"),
        parsed,
        built.line().objects(),
        other,
        Origins(built.line().libraries, {}),
    )
    assert set(report.by(lambda e: e.clazz)) == {""}


def test_map_of_gnu_ld(tmp_path: Path) -> None:
    """GNU ld's map has no local symbols, but every source."""
    built = mini_library.build(tmp_path / "x", mini_library.selection(), ld="bfd")
    report = built.report()
    assert sum(e.bytes for e in report.entries) == built.library.stat().st_size
    assert report.by(lambda e: e.file)[TABLE] > 20000


def test_mach_o(built: Built, tmp_path: Path) -> None:
    library, map_file = mini_library.build_macho(tmp_path)
    data = library.read_bytes()
    parsed = link_map.parse(map_file.read_text(), "map")
    report = attribute.report(
        "ios_arm64", data, LinkedMachO(data, "lib"), parsed, [], built.selection, built.origins()
    )
    assert sum(e.bytes for e in report.entries) == len(data)
    (table,) = [e for e in report.entries if e.symbol == "_table"]
    assert (table.bytes, table.file.rpartition(": ")[2]) == (20000, "table")
    assert {"__LINKEDIT", "headers"} <= {e.file for e in report.entries if e.part == LINKER}


@pytest.mark.parametrize("size", [0, 16, 64, 400])
def test_truncated_mach_o(size: int, tmp_path: Path) -> None:
    library, _ = mini_library.build_macho(tmp_path)
    with pytest.raises(InvalidInput, match="lib"):
        LinkedMachO(library.read_bytes()[:size], "lib")


@settings(max_examples=extent.of(50, 150))
@given(st.data())
def test_damaged_library_is_read_or_rejected(built: Built, data: st.DataObject) -> None:
    """With changed bytes in headers and tables, there is a report that sums to the file's size, or an error."""
    good = built.library.read_bytes()
    head, tail = st.integers(0, 0x3FF), st.integers(len(good) - 0x800, len(good) - 1)
    places = data.draw(st.lists(head | tail, min_size=1, max_size=4))
    bad = bytearray(good)
    for place in places:
        bad[place] = data.draw(st.integers(0, 255))
    parsed = link_map.parse(built.map.read_text(), "map")
    with contextlib.suppress(InvalidInput):
        elf = LinkedElf(bytes(bad), "lib")
        report = attribute.report(
            "x", bytes(bad), elf, parsed, [], built.selection, built.origins()
        )
        assert sum(e.bytes for e in report.entries) == len(bad)
