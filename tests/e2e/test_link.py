"""The libraries linked without Bazel, as by other build systems."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from e2e.builds import built_libraries
from e2e.builds.built_libraries import Release
from e2e.objects import arm_attributes
from tfcarve.objfile import archive

MACHINES: Mapping[str, str] = {
    "linux_arm64": "EM_AARCH64",
    "linux_armv7": "EM_ARM",
    "linux_x86_64": "EM_X86_64",
}


@pytest.fixture(scope="module", params=built_libraries.PLATFORMS)
def release(request: pytest.FixtureRequest) -> Release:
    return built_libraries.of_app(request.param)


def test_static_library_with_its_flags_runs_the_model(release: Release, tmp_path: Path) -> None:
    program = release.program("app_test.cc", tmp_path / "static", *release.flags())
    assert release.run_model(program) == ""


def test_shared_library_runs_the_model(release: Release, tmp_path: Path) -> None:
    rpath = f"-Wl,-rpath,{release.library}"
    program = release.program("app_test.cc", tmp_path / "shared", "-ltensorflow-core", rpath)
    assert release.run_model(program) == ""


def test_shared_library_exports_the_c_api_only(release: Release) -> None:
    with (release.library / "libtensorflow-core.so").open("rb") as stream:
        elf = ELFFile(stream)
        assert elf["e_machine"] == MACHINES[release.platform]
        assert elf.get_section_by_name(".symtab") is None, "it is not stripped"
        symbols = elf.get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection)
        # Local symbols of this table belong to sections or thread-local variables and can't be bound to.
        exported = {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
        }
    assert exported == release.c_functions()


def test_32_bit_code_runs_on_a_raspberry_pi_2(release: Release) -> None:
    expected = arm_attributes.RASPBERRY_PI_2 if release.platform == "linux_armv7" else {}
    library = release.library / "libtensorflow-core.a"
    members = list(archive.members(library.read_bytes(), library.name))
    assert len(members) > 50
    assert [name for name, data in members if arm_attributes.attributes(data) != expected] == []
