"""Tests of identifying programs and libraries and their CPUs."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.objfile import executable
from tfcarve.objfile.executable import Executable

_COMPILERS = {
    "x86_64": "gcc",
    "aarch64": "aarch64-linux-gnu-gcc",
    "armv7": "arm-linux-gnueabihf-gcc",
}


def _built(folder: Path, compiler: str, *flags: str) -> bytes:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on PATH")
    source, output = folder / "m.c", folder / "m"
    source.write_text("int main(void) { return 0; }")
    subprocess.run([compiler, *flags, str(source), "-o", str(output)], check=True)
    return output.read_bytes()


@pytest.mark.parametrize("cpu", _COMPILERS)
@pytest.mark.parametrize(
    ("flags", "is_program"),
    [(("-pie", "-fPIE"), True), (("-no-pie",), True), (("-static",), True), (("-shared",), False)],
)
def test_identifies(tmp_path: Path, cpu: str, flags: tuple[str, ...], is_program: bool) -> None:
    data = _built(tmp_path, _COMPILERS[cpu], *flags)
    assert executable.identify(data, "m") == Executable(cpu, is_program)


def test_neither_program_nor_library(tmp_path: Path) -> None:
    whole = _built(tmp_path, "gcc")
    other = bytearray(whole)
    other[18:20] = (243).to_bytes(2, "little")
    for data, message in (
        (b"#!/bin/sh\n", "m: not an ELF file: expected a program or a shared library"),
        (b"", "m: not an ELF file"),
        (whole[:40], "m: not a complete ELF file"),
        (_built(tmp_path, "gcc", "-c"), "m: neither a program nor a shared library: ET_REL"),
        (bytes(other), "m: built for ELF machine 243"),
    ):
        with pytest.raises(InvalidInput) as caught:
            executable.identify(data, "m")
        assert str(caught.value).startswith(message)


def test_host_cpu(tmp_path: Path) -> None:
    """The system's compiler builds for the host."""
    assert executable.identify(_built(tmp_path, "gcc"), "m").cpu == executable.host_cpu()
