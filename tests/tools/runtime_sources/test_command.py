"""Tests of `tfcarve optional-sources`, with objects of real compilers."""

from pathlib import Path

import clang
import pytest
from selections import selection

from tfcarve.cli import main

_SOURCE = """
namespace re2 { struct RE2 { RE2(const char*); }; }
namespace tsl { namespace table { struct Table { void Find(); }; } }
namespace app { struct Own { void Run(); }; }
void app::Own::Run() { re2::RE2 expression("a"); static_cast<tsl::table::Table*>(nullptr)->Find(); }
"""


def _run(
    folder: Path, *objects: Path, nm: str = "/usr/lib/llvm-19/bin/llvm-nm", shared: str = ""
) -> int:
    chosen = folder / "selection.json"
    chosen.write_bytes(selection().to_json())
    command = ["optional-sources", str(chosen), "--nm", nm, "--sources", str(folder / "ours")]
    command += [f"--shared={shared}"] if shared else []
    command += ["--third-party", str(folder / "others"), "--objects", *map(str, objects)]
    return main(command)


@pytest.mark.parametrize(
    "target", ["x86_64-linux-gnu", "armv7a-linux-androideabi24", "arm64-apple-ios13.0"]
)
def test_command(target: str, tmp_path: Path) -> None:
    compiled = clang.compiled(tmp_path, target, _SOURCE)
    assert _run(tmp_path, compiled) == 0
    ours = {file.name: file.read_text() for file in (tmp_path / "ours").iterdir()}
    others = {file.name: file.read_text() for file in (tmp_path / "others").iterdir()}
    name = "tensorflow__tsl__lib__io__table.cc"
    path = "tensorflow/tsl/lib/io/table.cc"
    assert ours[name] == f'#define TFCARVE_OPTIONAL "{path}"\n#include <{path}>\n'
    assert "tensorflow__tsl__lib__io__block.cc" in ours, "a table needs blocks"
    assert "tensorflow__core__example__example.pb.cc" not in ours
    assert "re2__re2.cc" in others
    assert not [file for file in others if file.startswith("tensorflow")]


def test_what_another_object_defines_is_not_needed(tmp_path: Path) -> None:
    target = "x86_64-linux-gnu"
    user = clang.compiled(tmp_path, target, _SOURCE, "user")
    text = "namespace re2 { struct RE2 { RE2(const char*); }; RE2::RE2(const char*) {} }\n"
    defining = clang.compiled(tmp_path, target, text)
    assert _run(tmp_path, user, defining) == 0
    assert list((tmp_path / "others").iterdir()) == []
    assert list((tmp_path / "ours").iterdir()) != []


def test_objects_of_the_session(tmp_path: Path) -> None:
    """The sources of the session are not compiled again, although what the library compiles needs them."""
    compiled = clang.compiled(
        tmp_path,
        "x86_64-linux-gnu",
        "namespace tensorflow { struct BundleReader { void Seek(); }; }\n"
        "void Read(tensorflow::BundleReader* reader) { reader->Seek(); }\n",
    )
    listed = []
    for shared in ("", "session"):
        assert _run(tmp_path, compiled, shared=shared) == 0
        listed.append({file.name for file in (tmp_path / "ours").iterdir()})
    without, with_session = listed
    assert "tensorflow__core__util__tensor_bundle__tensor_bundle.cc" in with_session
    assert "tensorflow__tsl__platform__env.cc" in without - with_session


def test_what_is_not_needed_any_more_is_removed(tmp_path: Path) -> None:
    target = "x86_64-linux-gnu"
    assert _run(tmp_path, clang.compiled(tmp_path, target, _SOURCE)) == 0
    assert _run(tmp_path, clang.compiled(tmp_path, target, "int own() { return 1; }")) == 0
    assert list((tmp_path / "ours").iterdir()) == list((tmp_path / "others").iterdir()) == []


def test_no_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "text.o"
    text.write_text("text\n")
    assert _run(tmp_path, text) == 2
    assert "text.o" in capsys.readouterr().err
    assert not (tmp_path / "ours").exists()


def test_no_nm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, tmp_path / "a.o", nm="/absent/nm") == 2
    assert "/absent/nm: cannot be run: No such file or directory" in capsys.readouterr().err


def test_other_files_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "mine.cc").write_text("int mine;\n")
    assert _run(tmp_path, clang.compiled(tmp_path, "x86_64-linux-gnu", _SOURCE)) == 2
    assert "mine.cc" in capsys.readouterr().err
    assert not (tmp_path / "ours").exists()
