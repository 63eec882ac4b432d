"""The effect of packed_relocations' linker flag; tests/rules checks that the rule passes it on."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile

from e2e.builds import app_workspace, built_libraries
from e2e.builds.built_libraries import Release
from tfcarve.size import link_line

_LIBRARY = "//:tensorflow"
_PACKED = "-Wl,-z,pack-relative-relocs"


def _sections(library: Path) -> set[str]:
    with library.open("rb") as stream:
        return {section.name for section in ELFFile(stream).iter_sections()}


def test_packed_relocations(tmp_path: Path) -> None:
    name = "libtensorflow-core.so"
    plain, packed = tmp_path / "plain" / name, tmp_path / "packed" / name
    with app_workspace.opened() as workspace:
        build = workspace.build([_LIBRARY], ["--output_groups=default,sizes"])
        file = build.named(_LIBRARY, "sizes")["link.json"]
        line = link_line.load(file, None)
        for library, flags in ((plain, []), (packed, [_PACKED])):
            library.parent.mkdir()
            command = line.link.with_files(str(library), [line.link.source])
            built_libraries.checked([*command, *flags], cwd=line.root)
            release = Release("linux_x86_64", workspace.folder, library.parent)
            found = (f"-I{file.parent / 'include'}", f"-Wl,-rpath,{library.parent}")
            program = release.program("app_test.cc", tmp_path / "app", "-ltensorflow-core", *found)
            assert release.run_model(program) == ""
    assert ".relr.dyn" in _sections(packed)
    assert ".relr.dyn" not in _sections(plain)
    assert packed.stat().st_size < plain.stat().st_size
