"""The selected kernels and a sample of the core, compiled for Android and iOS; test_whole.py compiles all."""

import io
from collections.abc import Iterator
from pathlib import Path

import clang
import pytest
from elftools.elf.elffile import ELFFile

import extent
from demo import nested
from tfcarve.objfile import archive, cpu
from tfcarve.objfile import elf as elf_files
from tfcarve.objfile.macho_objects import mach_objects

_ARMV7 = {"android_armv7": "armeabi-v7a"}
ANDROID = {"android_arm64": "arm64-v8a", **extent.of({}, _ARMV7)}
IOS = {"ios_arm64": ("arm64", "ios", (13, 0))}
_ARCHIVES = {"libcore_sample.a", "libhelpers.a", "libnsync.a", "libunits.a"}


@pytest.fixture(name="sample", scope="module")
def _sample() -> Iterator[dict[str, dict[str, bytes]]]:
    """Yields platform -> name of an archive -> its content."""
    with nested.opened(nested.source_tree() / "tests/full/app", "full") as workspace:
        targets = extent.some(["//:sample", "//:sample_armv7"], "//:sample")
        built = workspace.build(targets, ["--norun_validations"])
        found: dict[str, dict[str, bytes]] = {}
        for file in (file for target in targets for file in built.files(target)):
            platform, name = file.parent.name, file.name.replace(".pic.a", ".a")
            found.setdefault(platform, {})[name] = Path(file).read_bytes()
        yield found


def test_all_platforms_are_built(sample: dict[str, dict[str, bytes]]) -> None:
    assert set(sample) == {*ANDROID, *IOS}
    assert all(set(archives) == _ARCHIVES for archives in sample.values())


@pytest.mark.parametrize("platform", sorted(ANDROID))
def test_android(sample: dict[str, dict[str, bytes]], platform: str) -> None:
    registering = 0
    for name, data in sample[platform].items():
        for member, content in archive.members(data, name):
            elf = elf_files.open_elf(content, member)
            expected = cpu.BY_ANDROID_ABI[ANDROID[platform]]
            found = (elf_files.cpu_name(content, member), elf.elfclass)
            assert found == (expected.name, expected.bits), member
            if name == "libunits.a":
                registering += elf.get_section_by_name(".init_array") is not None
    assert registering > 0, "the units have no registrations"


def _arm_and_thumb(content: bytes) -> tuple[int, int]:
    """Counts the ARM and the Thumb functions of an object; Thumb functions have odd values (AAELF32)."""
    symbols = ELFFile(io.BytesIO(content)).get_section_by_name(".symtab").iter_symbols()
    functions = [
        s for s in symbols if s["st_info"]["type"] == "STT_FUNC" and s["st_shndx"] != "SHN_UNDEF"
    ]
    thumb = sum(symbol["st_value"] & 1 for symbol in functions)
    return len(functions) - thumb, thumb


@pytest.mark.parametrize("platform", extent.some(sorted(_ARMV7)))
def test_32_bit_arm_code_is_thumb(sample: dict[str, dict[str, bytes]], platform: str) -> None:
    functions = [
        _arm_and_thumb(content)
        for name, data in sample[platform].items()
        for _, content in archive.members(data, name)
    ]
    assert sum(arm for arm, _ in functions) == 0
    assert sum(thumb for _, thumb in functions) > 1000


def test_clangs_default_is_arm(tmp_path: Path) -> None:
    output = clang.compiled(
        tmp_path, "armv7a-linux-androideabi24", "int Same(int a) { return a; }", "one"
    )
    assert _arm_and_thumb(output.read_bytes()) == (1, 0)


@pytest.mark.parametrize("platform", sorted(IOS))
def test_ios(sample: dict[str, dict[str, bytes]], platform: str) -> None:
    registering = 0
    for name, data in sample[platform].items():
        for one in mach_objects(data, name):
            assert (one.arch, one.platform, one.minimum_os) == IOS[platform], one.name
            if name == "libunits.a":
                registering += one.initialisers
    assert registering > 0, "the units have no registrations"
