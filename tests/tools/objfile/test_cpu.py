"""Tests of the table of CPUs, against the files that compilers write."""

from pathlib import Path

import clang
import pytest

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu, elf, macho

_ANDROID = {
    "arm64-v8a": "aarch64-linux-android24",
    "armeabi-v7a": "armv7a-linux-androideabi24",
    "x86": "i686-linux-android24",
    "x86_64": "x86_64-linux-android24",
}


@pytest.mark.parametrize("abi", sorted(cpu.BY_ANDROID_ABI))
def test_elf(tmp_path: Path, abi: str) -> None:
    data = clang.compiled(tmp_path, _ANDROID[abi], "int one;", "one").read_bytes()
    known = cpu.BY_ANDROID_ABI[abi]
    assert elf.cpu_name(data, "one.o") == known.name
    assert elf.open_elf(data, "one.o").elfclass == known.bits


@pytest.mark.parametrize("arch", sorted(cpu.BY_APPLE_NAME))
def test_macho(tmp_path: Path, arch: str) -> None:
    data = clang.compiled(tmp_path, f"{arch}-apple-ios10.0", "int one;", "one").read_bytes()
    assert macho.cpu_name(macho.cpu_type(data, "one.o")) == cpu.BY_APPLE_NAME[arch].name
    subtype = int.from_bytes(data[8:12], "little")
    assert subtype == cpu.BY_APPLE_NAME[arch].macho_subtype


def test_unknown_cpus() -> None:
    header = b"\x7fELF\x02\x01".ljust(18, b"\0")
    assert elf.cpu_name(header + (243).to_bytes(2, "little"), "x") == "ELF machine 243"
    assert elf.cpu_name(b"\x7fELF\x02\x02".ljust(18, b"\0") + b"\0\xb7", "x") == "aarch64"
    assert macho.cpu_name(18) == "Mach-O CPU 0x12"
    for read in (elf.cpu_name, macho.cpu_type):
        with pytest.raises(InvalidInput, match="x: truncated in its"):
            read(header[:6], "x")


def test_names_are_unique() -> None:
    tables = (
        cpu.BY_NAME,
        cpu.BY_ELF_MACHINE,
        cpu.BY_MACHO_TYPE,
        cpu.BY_APPLE_NAME,
        cpu.BY_ANDROID_ABI,
    )
    assert {len(table) for table in tables} == {4}
