"""A small library, compiled for phones: an object that registers, one that others refer to, and an app's object."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_SOURCES = {
    # No object refers to it; it calls what the other object defines.
    "registering": """
        extern "C" void tfcarve_register(const char*);
        namespace { struct R { R(const char* op) { tfcarve_register(op); } } relu("Relu"); }
    """,
    "core": """
        static unsigned long count;
        extern "C" void tfcarve_register(const char*) { ++count; }
        extern "C" unsigned long tfcarve_kernel_count() { return count; }
    """,
    "app": """
        extern "C" unsigned long tfcarve_kernel_count();
        extern "C" unsigned long app() { return tfcarve_kernel_count(); }
    """,
}


def checked(command: Sequence[str | Path], cwd: Path | None = None) -> str:
    """Runs a command that must succeed; returns its output."""
    done = subprocess.run(command, cwd=cwd, check=False, text=True, capture_output=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Built:
    """The folder with the two archives and the app's object."""

    triple: str
    folder: Path

    @property
    def app(self) -> Path:
        """The app's object."""
        return self.folder / "app.o"


def build(triple: str, folder: Path) -> Built:
    """Compiles the library for a target triple, and writes both archives to the folder."""
    objects = {}
    for name, text in _SOURCES.items():
        source, objects[name] = folder / f"{name}.cc", folder / f"{name}.o"
        source.write_text(text)
        flags = [f"--target={triple}", "-fPIC", "-fno-exceptions", "-Os"]
        checked(["clang++-19", *flags, "-c", source, "-o", objects[name]])
    registrations = folder / "libtensorflow-registrations.a"
    checked(["llvm-ar-19", "qcsD", registrations, objects["registering"]])
    complete = [objects["registering"], objects["core"]]
    checked(["llvm-ar-19", "qcsD", folder / "libtensorflow-core.a", *complete])
    return Built(triple, folder)
