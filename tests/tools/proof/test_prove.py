"""Tests of tfcarve prove on libraries that the tests build."""

import json
import shutil
from pathlib import Path

import clang
import pytest
from small_library import ADD, ADD_V2, ARG, BIT, KERNELS, LINK, OPS, Library, selected

from tfcarve.cli import main
from tfcarve.selection.selection import Selection

COMPILERS = [("g++",), *([("clang++-19",)] if shutil.which("clang++-19") else [])]


@pytest.fixture(scope="module", params=COMPILERS, ids=lambda c: c[0])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with compiled units."""
    return Library(tmp_path_factory.mktemp("small"), request.param).compile(selected())


def prove(library: Path, selection: Selection, *more: str) -> int:
    """Runs the command; returns its exit status."""
    path = library.parent / "selection.json"
    path.write_bytes(selection.to_json())
    return main(["prove", str(library), str(path), *more])


def test_complete_library(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(library.shared(), selected()) == 0
    assert "registers all 6 selected ops and kernels, and 1 that" in capsys.readouterr().out
    assert prove(library.archive(), selected()) == 0


def test_another_cpu(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    for file in (library.shared(), library.archive()):
        assert prove(file, selected(), "--cpu", "x86_64") == 0
        assert prove(file, selected(), "--cpu", "armv7") == 2
        message = (
            f"{file}: is for x86_64 (64 bits), but the platform's CPU is armv7 (32 bits): check"
        )
        assert message in capsys.readouterr().err


def test_an_object_of_32_bits_among_others(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = library.archive()
    odd = clang.compiled(archive.parent, "armv7a-linux-androideabi24", "int odd;", "odd")
    library.run("ar", "qcs", archive, odd)
    assert prove(archive, selected(), "--cpu", "x86_64") == 2
    assert "is for armv7 (32 bits), but the platform's CPU is x86_64" in capsys.readouterr().err


def test_json(library: Library, tmp_path: Path) -> None:
    output = tmp_path / "proof.json"
    assert prove(library.shared(), selected(), "--json", "-o", str(output)) == 0
    (image,) = json.loads(output.read_bytes())
    assert (image["registered"], image["always"], image["problems"]) == (6, 1, [])


@pytest.mark.parametrize("link", [LINK, (*LINK[:2], *LINK[4:])], ids=["gc", "no gc"])
def test_removed_unit(
    library: Library, link: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert prove(library.shared(link=link), selected()) == 0
    assert prove(library.shared(but=KERNELS, link=link), selected()) == 1
    error = capsys.readouterr().err
    assert "kernel 'AddOp<CPU, float>' of op 'Add' is needed but not registered" in error
    assert f"the library has no unit of {KERNELS}" in error
    assert "1 difference from" in error
    assert prove(library.shared(but=OPS, link=link), selected()) == 1
    error = capsys.readouterr().err
    assert "op 'Add' is needed but not registered" in error
    assert "op 'Bit' is needed but not registered" in error


def test_units_without_whole_archive(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    plain = [flag for flag in LINK if flag != "-Wl,--whole-archive"]
    keep = ["-Wl,-u,tfcarve_registrations"]
    assert prove(library.shared(link=[*plain, *keep]), selected()) == 2
    assert "has no table of registrations" in capsys.readouterr().err


def test_a_class_in_no_unit(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = selected([("Add", "AddOp<CPU, half>", KERNELS), BIT])
    built = Library(library.folder / "other", library.compiler)
    built.folder.mkdir(exist_ok=True)
    built.compile(wanted)
    assert prove(built.archive(), wanted) == 1
    error = capsys.readouterr().err
    assert "kernel 'AddOp<CPU, half>' of op 'Add' is selected but in no compiled unit" in error
    assert f"in {KERNELS}: the nearest class is 'AddOp<CPU, float>'" in error
    # The shared library does not have the refused registrations; the units' archive does.
    assert prove(built.shared(), wanted, "--units", str(built.archive())) == 1
    assert "the nearest class is 'AddOp<CPU, float>'" in capsys.readouterr().err
    assert prove(built.shared(), wanted) == 1
    assert "AddOp<CPU, float>" not in capsys.readouterr().err


def test_surplus(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(library.shared(), selected([ADD], ["Add"])) == 1
    error = capsys.readouterr().err
    assert "op 'Bit' is registered but not selected" in error
    assert "kernel 'BitOp' is registered but not selected" in error
    assert "ArgOp" not in error  # TensorFlow always registers it


def test_implied_kernels(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    sub = ("Sub", "SubOp<CPU, float>", KERNELS)
    double = ("AddV2", "AddOp<CPU, double>", KERNELS)
    wanted = selected([ADD, double, sub], ["Add", "AddV2", "Sub"])
    built = Library(library.folder / "along", library.compiler)
    built.folder.mkdir(exist_ok=True)
    built.compile(wanted)
    assert prove(built.shared(), wanted) == 0
    out = capsys.readouterr().out
    assert "Add: AddOp<CPU, double>" in out
    assert "AddV2: AddOp<CPU, float>" in out
    assert prove(built.shared(), selected([ADD_V2, sub], ["AddV2", "Sub"])) == 1
    assert "AddOp<CPU, double>" in capsys.readouterr().err


def test_missing_unit_of_a_kernel_that_is_always_registered(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    assert prove(library.shared(but=ARG[2]), selected()) == 1
    assert "kernel 'ArgOp' of op '_Arg' is needed" in capsys.readouterr().err


def test_without_table(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    whole = library.shared().stat().st_size
    built = Library(library.folder / "bare", library.compiler)
    built.folder.mkdir(exist_ok=True)
    built.compile(selected(), table=False)
    bare = built.shared()
    assert bare.stat().st_size < whole
    assert prove(bare, selected()) == 2
    assert "has no table of registrations" in capsys.readouterr().err
    assert main(["inspect", str(bare)]) == 0


def test_inspect(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(library.shared())]) == 0
    out = capsys.readouterr().out
    assert "TensorFlow 9.8.7" in out
    assert "ops: 3\n  Add\n  Bit\n  _Arg\n" in out
    assert main(["inspect", "--json", str(library.archive())]) == 0
    assert json.loads(capsys.readouterr().out)["ops"] == ["Add", "Bit", "_Arg"]


def test_selection_for_another_tensorflow(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    path = library.folder / "other.json"
    path.write_bytes(selected().to_json().replace(b"9.8.7", b"9.9.9"))
    assert main(["prove", str(library.shared()), str(path)]) == 1
    assert "the library has TensorFlow 9.8.7" in capsys.readouterr().err
