"""Tests of renamed symbols: which ones, and what the linker does, with object files of the host's compiler."""

import subprocess
from pathlib import Path

import pytest

from tfcarve.cli import main
from tfcarve.emit.private_symbols import defined, redefinitions, renames
from tfcarve.interface import Kind

# Output of `nm -P -a --defined-only`; the D5 symbol only names a COMDAT group.
NM = """\
lib.a[one.o]:
tfcarve_run T 0 10
_ZN6google1fEv T 10 8
_ZN6google1AD5Ev n 0
_ZN6google1AD2Ev W 0 4
.text t 0
file.cc a 0
_ZL5local t 20 4
_ZGVinline u 0 8

lib.a[two.o]:
Java_org_app_run T 0 4
JNI_OnLoad T 0 4
JNI_OnLoadMore T 0 4
"""


def test_global_symbols_and_group_names_are_renamed() -> None:
    assert sorted(renames(defined(NM), Kind.SESSION)) == [
        "JNI_OnLoadMore",
        "_ZGVinline",
        "_ZN6google1AD2Ev",
        "_ZN6google1AD5Ev",
        "_ZN6google1fEv",
    ]


def test_public_names_in_mach_o() -> None:
    names = ["_tfcarve_run", "__ZN1aEv"]
    assert renames(names, Kind.SESSION) == {"__ZN1aEv": "_tfcarved___ZN1aEv"}


def test_interface_of_a_flex_delegate_stays() -> None:
    interface = [
        "TF_AcquireFlexDelegate",
        "_tflite_plugin_create_delegate",
        "tflite_plugin_destroy_delegate",
        "_ZN6tflite19AcquireFlexDelegateEv",
    ]
    other = ["TF_AcquireFlexDelegates", "_ZN6tflite12FlexDelegateC1Ev", "tfcarve_manifest"]
    assert list(renames([*interface, *other], Kind.FLEX)) == other


def test_new_names_of_the_kinds_differ() -> None:
    """An app may link one library of each kind."""
    symbols = defined(NM) | {"_tfcarve_run", "TF_AcquireFlexDelegate"}
    names = [{renames(symbols, kind).get(symbol, symbol) for symbol in symbols} for kind in Kind]
    assert names[0] & names[1] == {"Java_org_app_run", "JNI_OnLoad"}


def test_redefinitions() -> None:
    assert redefinitions(["b", "a", "tfcarve_x"], Kind.SESSION) == b"a _tfcarved_a\nb _tfcarved_b\n"


# The library and the app have different classes of the same name.
LIBRARY = """
#include <string>
namespace google { struct A { std::string s; A(); virtual ~A() {} }; A::A() : s("library") {} }
extern "C" int tfcarve_size() { google::A a; return a.s.size(); }
"""
APP = """
#include <cstdio>
namespace google { struct A { long n; A(); virtual ~A() {} }; A::A() : n(3) {} }
extern "C" int tfcarve_size();
int main() { google::A a; std::printf("%ld %d", a.n, tfcarve_size()); }
"""


def _compile(folder: Path, name: str, text: str) -> Path:
    source, object_file = folder / f"{name}.cc", folder / f"{name}.o"
    source.write_text(text)
    subprocess.run(["g++", "-c", source, "-o", object_file], check=True)
    return object_file


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    library = _compile(folder, "library", LIBRARY)
    _compile(folder, "app", APP)
    # Two members with the same name, as in TensorFlow's archive.
    empty = folder / "other"
    empty.mkdir()
    other = _compile(empty, "library", "int other() { return 1; }")
    subprocess.run(["ar", "qcs", folder / "lib.a", library, other], check=True)
    return folder


def _link(folder: Path, archive: str) -> subprocess.CompletedProcess[str]:
    program = folder / f"{archive}.out"
    command = ["g++", str(folder / "app.o"), str(folder / archive), "-o", str(program)]
    done = subprocess.run(command, check=False, text=True, capture_output=True)
    return done if done.returncode else subprocess.run([program], text=True, capture_output=True)


def test_app_with_the_same_names_links(built: Path) -> None:
    assert main(["private-symbols", "--archive", str(built / "lib.a"), str(built / "new.a")]) == 0
    members = subprocess.run(["ar", "t", built / "new.a"], text=True, capture_output=True).stdout
    assert members.split() == ["library.o", "library.o"]
    assert _link(built, "new.a").stdout == "3 7"


def test_a_symbolic_link_stays(built: Path, tmp_path: Path) -> None:
    link, target = tmp_path / "link.a", tmp_path / "target.a"
    link.symlink_to(target)
    assert main(["private-symbols", "--archive", str(built / "lib.a"), str(link)]) == 0
    assert link.is_symlink()
    assert target.read_bytes()[:8] == b"!<arch>\n"


def test_without_renaming_the_linker_refuses(built: Path) -> None:
    done = _link(built, "lib.a")
    assert done.returncode == 1
    assert "multiple definition of `google::A::A()'" in done.stderr


def test_invalid_input(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = tmp_path / "words.a"
    words.write_text("words")
    output = tmp_path / "out.a"
    for arguments, message in [
        ([str(tmp_path / "none.a")], "no such file"),
        ([str(words)], "words.a"),
    ]:
        assert main(["private-symbols", "--archive", *arguments, str(output)]) == 2
        assert message in capsys.readouterr().err
    missing = ["--objcopy", "no-such-objcopy", "--archive", str(built / "lib.a"), str(output)]
    assert main(["private-symbols", *missing]) == 2
    assert "no-such-objcopy: cannot be run" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [words], "no output, whole or partial"
