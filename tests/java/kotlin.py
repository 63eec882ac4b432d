"""A Kotlin compiler: the one in the package kotlin-jupyter-kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

from public.packages import Package

_PACKAGE = Package(
    "kotlin-jupyter-kernel==0.19.0.944",
    "kotlin_jupyter_kernel-0.19.0.944-py3-none-any.whl",
    "dc654a426a28e6621aeb0bd7772d268a9a877aabae4a17b73383752a416281a3",
)
_MAIN = "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"


def _jars(pattern: str = "*") -> list[Path]:
    return sorted(_PACKAGE.folder().glob(f"run_kotlin_kernel/jars/{pattern}.jar"))


def standard_library() -> Path:
    """The jar that a compiled program needs."""
    (jar,) = _jars("kotlin-stdlib-*")
    return jar


def compile_program(source: Path, classes: Path, output: Path) -> None:
    """Compiles a program.

    Args:
      source: a .kt file.
      classes: the folder of the classes that it uses.
      output: the folder for its own classes.
    """
    jars = ":".join(map(str, _jars()))
    words = ["-no-stdlib", "-no-reflect", "-cp", f"{classes}:{standard_library()}"]
    subprocess.run(["java", "-cp", jars, _MAIN, *words, "-d", output, source], check=True)
