"""Tests of how optional sources are determined, with objects of a real compiler."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tfcarve import json_codec
from tfcarve.releases import known
from tfcarve.runtime_sources import update
from tfcarve.runtime_sources.optional_sources import FILE_NAME, OptionalSources, needed

_HEADER = """
namespace io {
struct Table { Table(); virtual ~Table(); int Find(); };
struct Block { Block(); virtual int Size(); };
int Open(int);
int Open(long);
int Read();
int Page();
template <class T> int Copy(T);
extern template int Copy(int);
// All its functions are templates, of which one object has the instances.
struct Printer { template <class T> static int Print(T); };
extern template int Printer::Print(int);
inline int Twice(int x) { return 2 * x; }
}
"""
_SOURCES = {
    # The core.
    "plan.cc": "int plan() { return io::Open(1); }",
    # TensorFlow's session.
    "session.cc": "int session() { return io::Read() + io::Open(1); }",
    "open.cc": "int io::Open(int x) { return Twice(x); }",
    # Optional; the first defines an overload of what the core defines.
    "open_long.cc": "int io::Open(long x) { return Twice(int(x)); }",
    "read.cc": "int io::Read() { return Table().Find(); }",
    "table.cc": "io::Table::Table() {} io::Table::~Table() {} int io::Table::Find() { return Copy(1) + Open(1); }",
    "copy.cc": "template <class T> int io::Copy(T x) { return Twice(x); } template int io::Copy(int); int io::Own() { return 1; }",
    "print.cc": "template <class T> int io::Printer::Print(T x) { return Twice(x); } template int io::Printer::Print(int);",
    "page.cc": "int io::Page() { return Printer::Print(1); }",
    "block.cc": "io::Block::Block() {}",
    "block_size.cc": "int io::Block::Size() { return 1; }",
    "third_party/abseil/cordz.cc": "int text() { return 1; }",
}

_KINDS = {"plan.cc": "core", "session.cc": "session"}


@pytest.fixture(name="objects")
def _objects(tmp_path: Path) -> Mapping[str, Path]:
    (tmp_path / "io.h").write_text(f"{_HEADER} namespace io {{ int Own(); }}")
    objects = {}
    for name, text in _SOURCES.items():
        source = tmp_path / name
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(f'#include "io.h"\n{text}\n')
        objects[name] = source.with_suffix(".o")
        subprocess.run(
            ["g++", "-Os", f"-I{tmp_path}", "-c", source, "-o", objects[name]], check=True
        )
    return objects


@pytest.fixture(name="recorded")
def _recorded(
    objects: Mapping[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> OptionalSources:
    listed = tmp_path / "objects.json"
    listed.write_text(
        json.dumps(
            [
                {"kind": _KINDS.get(name, "candidate"), "source": name, "object": str(file)}
                for name, file in objects.items()
            ]
        )
    )
    name = known.default_name()
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(tmp_path))
    assert update.main([name, str(listed)]) == 0
    file = tmp_path / "third_party/tensorflow/releases" / name / FILE_NAME
    return json_codec.decode(file.read_bytes(), OptionalSources, FILE_NAME)


def test_record(recorded: OptionalSources) -> None:
    found = {
        source.path: (source.defines, source.needs, source.session) for source in recorded.sources
    }
    assert found == {
        "block.cc": (("io::Block::C",), ("block_size.cc",), False),
        "block_size.cc": (("io::Block", "io::Block::Size"), (), False),
        "copy.cc": (("io::Copy", "io::Own"), (), True),
        "open_long.cc": (("io::Open",), (), False),
        "page.cc": (("io::Page",), ("print.cc",), False),
        "print.cc": (("io::Printer::Print",), (), False),
        "read.cc": (("io::Read",), ("table.cc",), True),
        "table.cc": (("io::Table::*",), ("copy.cc",), True),
    }


def _linked(objects: Mapping[str, Path], folder: Path, names: list[str], text: str) -> str:
    """Links a program that may refer only to what it contains; returns the linker's message."""
    source = folder / "main.cc"
    source.write_text(f'#include "io.h"\nint main() {{ return {text}; }}\n')
    command = ["g++", source, *(objects[name] for name in names), "-o", folder / "main"]
    return subprocess.run(command, check=False, capture_output=True, text=True).stderr


@pytest.mark.parametrize(
    "text",
    [
        *("io::Read()", "io::Copy(1)", "io::Table().Find()"),
        *("io::Open(1L)", "io::Open(1)", "io::Printer::Print(1)"),
    ],
)
def test_what_is_needed_suffices(
    text: str, objects: Mapping[str, Path], recorded: OptionalSources, tmp_path: Path
) -> None:
    optional = {source.path for source in recorded.sources}
    core = [name for name in _SOURCES if name not in optional and _KINDS.get(name) != "session"]
    source = tmp_path / "user.cc"
    source.write_text(f'#include "io.h"\nint user() {{ return {text}; }}\n')
    subprocess.run(["g++", "-c", source, "-o", tmp_path / "user.o"], check=True)
    read = update.read_symbols(
        [str(tmp_path / "user.o"), *(str(objects[name]) for name in core)]
    ).values()
    undefined = frozenset[str]().union(*(symbols.undefined for symbols in read))
    found = needed(recorded, undefined.difference(*(symbols.strong for symbols in read)))
    assert bool(found) == (text != "io::Open(1)")
    assert _linked(objects, tmp_path, core + found, text) == ""
    for missing in found:
        fewer = [name for name in found if name != missing]
        assert "undefined reference" in _linked(objects, tmp_path, core + fewer, text), missing


def test_objects_that_do_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert update.main([known.default_name(), str(tmp_path / "absent.json")]) == 2
    assert "absent.json: no such file" in capsys.readouterr().err
