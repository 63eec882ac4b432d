"""The libraries outside of Bazel: linked by hand, as other build systems do."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from demo import nested
from e2e import building

COMPILERS: Mapping[str, str] = {"linux_x86_64": "g++", "linux_arm64": "aarch64-linux-gnu-g++"}
EMULATORS: Mapping[str, tuple[str, ...]] = {
    "linux_x86_64": (),
    "linux_arm64": ("qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu"),
}
MACHINES: Mapping[str, str] = {"linux_x86_64": "EM_X86_64", "linux_arm64": "EM_AARCH64"}


class Release(NamedTuple):
    """The app and its library for one platform."""

    platform: str
    app: Path
    library: Path

    def program(self, source: str, output: Path, *flags: str) -> tuple[str, ...]:
        """Compiles a source of the app and links it; what runs the program."""
        compiler = COMPILERS[self.platform]
        include = f"-I{nested.source_tree()}"
        command = [compiler, "-std=c++17", include, str(self.app / source), f"-L{self.library}"]
        done = subprocess.run(
            [*command, *flags, "-o", str(output)], check=False, text=True, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        return (*EMULATORS[self.platform], str(output))

    def flags(self) -> list[str]:
        """What the library says that it is to be linked with."""
        return (self.library / "link_flags.txt").read_text(encoding="utf-8").split()


@pytest.fixture(scope="module", params=sorted(COMPILERS))
def release(request: pytest.FixtureRequest) -> Iterator[Release]:
    with building.app() as workspace:
        build = workspace.build(["//:release"], [f"--output_groups={request.param}"])
        files = build.files("//:release", request.param)
        yield Release(request.param, workspace.folder, files[0].parent)


def test_static_library_with_its_flags_runs_the_model(release: Release, tmp_path: Path) -> None:
    program = release.program("app_test.cc", tmp_path / "static", *release.flags())
    assert _run(*program, str(release.app / "tiny.pb")) == ""


def test_shared_library_runs_the_model(release: Release, tmp_path: Path) -> None:
    rpath = f"-Wl,-rpath,{release.library}"
    program = release.program("app_test.cc", tmp_path / "shared", "-ltensorflow-core", rpath)
    assert _run(*program, str(release.app / "tiny.pb")) == ""


def test_archive_without_its_flags_registers_nothing(release: Release, tmp_path: Path) -> None:
    source = "control/count_kernels.cc"
    forced = release.program(source, tmp_path / "forced", *release.flags())
    plain = release.program(source, tmp_path / "plain", "-l:libtensorflow-core.a", "-pthread")
    assert int(_run(*forced)) > 0
    assert int(_run(*plain)) == 0


def test_shared_library_exports_the_c_interface_only(release: Release) -> None:
    with (release.library / "libtensorflow-core.so").open("rb") as stream:
        elf = ELFFile(stream)
        assert elf["e_machine"] == MACHINES[release.platform]
        assert elf.get_section_by_name(".symtab") is None, "it is stripped"
        symbols = elf.get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        # A local symbol in this table is a section's, or a thread-local variable's: nobody can bind it.
        exported = {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
        }
    assert {"tfcarve_session_new", "tfcarve_session_run"} <= exported
    assert all(name.startswith("tfcarve_") for name in exported), sorted(exported)[:20]


def _run(*command: str) -> str:
    done = subprocess.run(command, check=False, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
