"""The tools of .pre-commit-config.yaml find no fault in any tracked file."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from docs.tree import ROOT, tracked
from lint import programs

_PRE_COMMIT = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
_STARLARK = re.compile(r"(^|/)(BUILD|WORKSPACE|MODULE\.bazel|.*\.(bzl|BUILD))$")
_CPP = re.compile(r"\.(c|cc|h)$")
_BUILDIFIER_FLAGS = ["-lint=warn", "-warnings=-bzl-visibility"]
_CLANG_FORMAT_FLAGS = ["--dry-run", "-Werror", "--style=Google"]


def _run(
    *command: str | Path, cwd: Path = ROOT, path: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "MYPYPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        text=True,
    )


def _require_success(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def _matching(pattern: re.Pattern[str]) -> list[str]:
    names = [name for name in tracked() if pattern.search(name)]
    assert len(names) > 30
    return names


@pytest.fixture(name="clang_format", scope="module")
def _clang_format() -> Path:
    program = programs.clang_format()
    if program is None:
        pytest.skip("no wheel of clang-format is pinned for this machine")
    return program


def test_ruff_check() -> None:
    _require_success(_run(sys.executable, "-m", "ruff", "check", "--no-cache", "."))


def test_ruff_format() -> None:
    _require_success(_run(sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "."))


@pytest.mark.parametrize(
    ("path", "packages"),
    [("tools", ["bootstrap", "tfcarve", "demo"]), ("tools:tests", ["docs", "lint"])],
)
def test_mypy(path: str, packages: Sequence[str], tmp_path: Path) -> None:
    named = [word for package in packages for word in ("-p", package)]
    cache = f"--cache-dir={tmp_path}"
    _require_success(_run(sys.executable, "-m", "mypy", "--strict", cache, *named, path=path))


def test_buildifier() -> None:
    flags = ["-mode=check", *_BUILDIFIER_FLAGS]
    _require_success(_run(programs.buildifier(), *flags, *_matching(_STARLARK)))


def test_clang_format(clang_format: Path) -> None:
    _require_success(_run(clang_format, *_CLANG_FORMAT_FLAGS, *_matching(_CPP)))


def test_each_tool_finds_a_fault(clang_format: Path, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\nx = {  }\n", encoding="utf-8")
    (tmp_path / "BUILD").write_text('x(srcs = ["b", "a"], name = "n")\n', encoding="utf-8")
    (tmp_path / "a.cc").write_text("int  x ;\n", encoding="utf-8")
    for command in (
        [sys.executable, "-m", "ruff", "check", "--no-cache", "a.py"],
        [sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "a.py"],
        [programs.buildifier(), "-mode=check", *_BUILDIFIER_FLAGS, "BUILD"],
        [clang_format, *_CLANG_FORMAT_FLAGS, "a.cc"],
    ):
        assert _run(*command, cwd=tmp_path).returncode, command


def test_the_hooks_have_the_same_versions() -> None:
    lock = (ROOT / "third_party/python/dev.txt").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, re.MULTILINE))
    for name in ("codespell", "mypy", "ruff"):
        versions = set(re.findall(rf"\b{name}==([0-9.]+)", _PRE_COMMIT))
        assert versions == {locked[name]}, name
    for package in (programs.BUILDIFIER, programs.CLANG_FORMAT):
        assert package in _PRE_COMMIT
    for flag in [*_BUILDIFIER_FLAGS, "--style=Google"]:
        assert flag in _PRE_COMMIT
