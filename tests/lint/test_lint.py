"""The tools of .pre-commit-config.yaml find no errors in any tracked file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from docs.tree import ROOT, tracked
from lint import programs

_PRE_COMMIT = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
_HOOKS = {
    hook["id"]: hook for repo in yaml.safe_load(_PRE_COMMIT)["repos"] for hook in repo["hooks"]
}
_BUILDIFIER_FLAGS = ["-lint=warn", "-warnings=-bzl-visibility"]
_CLANG_FORMAT_FLAGS = ["--dry-run", "-Werror", "--style=Google"]


def _run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
        text=True,
    )


def _require_success(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr


def _files_of(hook: str) -> list[str]:
    """Returns the tracked files that a hook checks."""
    pattern = re.compile(_HOOKS[hook]["files"])
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


def test_ruff_requires_docstrings_outside_of_tests(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for folder in ("tests", "tools"):
        (tmp_path / folder).mkdir()
        text = '"""A module."""\n\n\ndef f() -> None:\n    pass\n'
        (tmp_path / folder / "a.py").write_text(text, encoding="utf-8")
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise"]
    found = re.findall(r"^(\S+):4:\d+: (D\d+)", _run(*ruff, ".", cwd=tmp_path).stdout, re.MULTILINE)
    assert found == [("tools/a.py", "D103")]


def test_ruff_format() -> None:
    _require_success(_run(sys.executable, "-m", "ruff", "format", "--no-cache", "--check", "."))


def test_mypy(tmp_path: Path) -> None:
    _require_success(_run(sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}"))


def test_mypy_finds_an_error_in_each_package(tmp_path: Path) -> None:
    packages = [
        "benchmarks",
        "tests/c_interface",
        "tests/docs",
        "tests/lint",
        "tests/op_lists",
        "tools/bootstrap",
        "tools/demo",
        "tools/tfcarve",
    ]
    for package in packages:
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").write_text("def f(x): ...\n", encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    done = _run(sys.executable, "-m", "mypy", "--cache-dir=cache", cwd=tmp_path)
    found = re.findall(r"^(\S+)/__init__.py:1: error:.*no-untyped-def", done.stdout, re.MULTILINE)
    assert sorted(found) == packages


def test_buildifier() -> None:
    flags = ["-mode=check", *_BUILDIFIER_FLAGS]
    _require_success(_run(programs.buildifier(), *flags, *_files_of("buildifier")))


def test_clang_format(clang_format: Path) -> None:
    _require_success(_run(clang_format, *_CLANG_FORMAT_FLAGS, *_files_of("clang-format")))


def test_clang_format_checks_each_kind_of_source() -> None:
    suffixes = {Path(name).suffix for name in _files_of("clang-format")}
    assert suffixes == {".c", ".cc", ".h", ".hpp", ".inc"}


def test_each_tool_finds_an_error(clang_format: Path, tmp_path: Path) -> None:
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
    for hook in _HOOKS.values():
        needed = [pin.lower().split("==") for pin in hook["additional_dependencies"]]
        names = [name for name, *_ in needed]
        assert len(set(names)) == len(names), f"{hook['id']}: a package is listed twice"
        for name, *version in needed:
            assert name not in locked or version == [locked[name]], f"{hook['id']}: {name}"
    for package in (programs.BUILDIFIER, programs.CLANG_FORMAT):
        assert package in _PRE_COMMIT
    for flag in [*_BUILDIFIER_FLAGS, "--style=Google"]:
        assert flag in _PRE_COMMIT
