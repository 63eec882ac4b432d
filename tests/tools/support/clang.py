"""Builds small objects and libraries for Android and iOS with Debian's clang."""

import subprocess
from pathlib import Path

_BIN = Path("/usr/lib/llvm-19/bin")


def run(program: str, *arguments: str | Path, expect: int = 0) -> str:
    """Runs a program of LLVM and returns its output."""
    done = subprocess.run(
        [str(_BIN / program), *map(str, arguments)], check=False, text=True, capture_output=True
    )
    assert done.returncode == expect, done.stderr
    return done.stdout + done.stderr


def compiled(folder: Path, target: str, source: str, name: str = "one", *flags: str) -> Path:
    """Compiles freestanding C++ for a target; returns the object file."""
    text = folder / f"{name}.cc"
    text.write_text(source, encoding="utf-8")
    output = folder / f"{name}.{target}.o"
    freestanding = ("-std=c++17", "-Os", "-fno-exceptions", "-fno-rtti", "-ffreestanding")
    run("clang++", f"--target={target}", *freestanding, *flags, "-c", text, "-o", output)
    return output


def archived(output: Path, *objects: Path, bsd: bool = False) -> Path:
    """Creates a static library in GNU's format, or in Apple's with `bsd`."""
    output.unlink(missing_ok=True)
    if bsd:
        run("llvm-libtool-darwin", "-static", "-o", output, *objects)
    else:
        run("llvm-ar", "qcsD", "--format=gnu", output, *objects)
    return output
