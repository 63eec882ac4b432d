"""A library's options on the real command lines of all that it is made of.

Units and helpers are files of directories, which `aquery` does not show and `--per_file_copt` does not reach: a few are
compiled, and Bazel's execution log says how. The core is not compiled: `aquery` shows its sources.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from selections import selection

from demo.nested import Workspace
from e2e import app_workspace, prebuilt_selection
from tfcarve.commands.common import default_defines

_PACKAGE = "command_lines"
_KERNELS = "tensorflow/core/kernels"
# A source of each kind; those of ours, for they are quick to compile.
_UNITS = {"no_op": "units", "matmul_op_real": "hot units"}
_HELPERS = {"fill_functor": "helpers", "transpose_functor_cpu": "hot helpers"}
_COMPILED = {**_UNITS, **_HELPERS, "manifest": "manifest"}
# Kinds of what is compiled for every selection, by a pattern of the source's path.
_SHARED = {
    "core": r"external/[^/]*tfcarve_tensorflow/tensorflow/core/.*\.cc",
    "overrides": r".*third_party/tensorflow/overrides/core/.*\.cc",
    "messages": r"bazel-out/.*\.pb\.cc",
    "C interface": r".*tools/runtime/tfcarve_c_api\.cc",
    "Abseil": r"external/[^/]*tfcarve_abseil/.*\.cc",
    "header": r".*/tensorflow_headers\.h",
}
_HOT = {"hot units", "hot helpers", "hot header"}
_KINDS = {*_COMPILED.values(), *_SHARED, "hot header"}

# What an option makes of the flags that are last on each command line: of the sources for size, of the hot ones,
# and for the CPU.
_EXPECTED = {
    ("linux_x86_64", "default"): ("-Os", "-O2", ""),
    ("linux_x86_64", "O3"): ("-O3", "-O3", ""),
    ("linux_x86_64", "x86_64_v3"): ("-Os", "-O2", "-march=x86-64-v3"),
    ("linux_arm64", "default"): ("-Os", "-O2", "-mcpu=cortex-a53"),
    ("linux_arm64", "O3"): ("-O3", "-O3", "-mcpu=cortex-a53"),
    ("linux_arm64", "cortex_a72"): ("-Os", "-O2", "-mcpu=cortex-a72"),
}
_IDS = ["-".join(key) for key in _EXPECTED]

Command = Sequence[str]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("given")
    with app_workspace.opened() as workspace:
        chosen = selection(
            [("NoOp", "None", f"{_KERNELS}/{name}.cc") for name in _UNITS],
            helpers=[f"{_KERNELS}/{name}.cc" for name in _HELPERS],
            defines=default_defines(),
        )
        prebuilt_selection.place(workspace, chosen, folder, _PACKAGE)
        (folder / "run.bzl").write_text(f'"""Of one run."""\n\nRUN = "{_RUN}"\n')
        workspace.place(_PACKAGE, {"run.bzl": folder / "run.bzl"}, "run.bzl")
        yield workspace


_RUN = f"{os.getpid()}_{os.urandom(4).hex()}"


def _target(platform: str, option: str) -> str:
    return f"//{_PACKAGE}:{platform}_{option}_{_RUN}"


def _compiled(app: Workspace, platform: str, option: str) -> dict[str, Command]:
    """How units, helpers and the manifest are compiled, by kind."""
    counted = app_workspace.count_compiles(
        app, [_target(platform, option)], ["--norun_validations"]
    )
    return {
        _COMPILED[spawn.source.rpartition("__")[2]]: spawn.arguments
        for spawn in counted.compiles
        if any(f"/{option}_{_RUN}/" in output for output in spawn.outputs)
    }


def _source(command: Command) -> str:
    return command[command.index("-c") + 1] if "-c" in command else ""


def _shared(app: Workspace, platform: str, option: str) -> Iterator[tuple[str, Command]]:
    """How the sources that a library shares with others are compiled: kinds and commands."""
    query = f'mnemonic("CppCompile|TfPrecompiledHeader", deps({_target(platform, option)}))'
    for action in app.actions(query):
        command = action.get("arguments", ())
        if any("-exec" in word for word in command):
            continue  # a program that makes sources
        for kind, pattern in _SHARED.items():
            if re.fullmatch(pattern, _source(command)):
                hot = any("/hot/tensorflow_headers" in word for word in command)
                yield f"hot {kind}" if hot else kind, command


def _last(command: Command, *prefixes: str) -> str:
    return ([word for word in command if word.startswith(prefixes)] or [""])[-1]


def _wrong(commands: Sequence[tuple[str, Command]], expected: tuple[str, str, str]) -> set[str]:
    """The kinds of which a command's last flags are others, or of which there is no command."""
    size, speed, cpu = expected
    found = _KINDS - {kind for kind, _ in commands}
    for kind, command in commands:
        flags = (_last(command, "-O"), _last(command, "-march=", "-mcpu="))
        if flags != (speed if kind in _HOT else size, cpu):
            found.add(kind)
    return found


@pytest.fixture(scope="module")
def commands(app: Workspace) -> Mapping[tuple[str, str], Sequence[tuple[str, Command]]]:
    return {
        (platform, option): [
            *_compiled(app, platform, option).items(),
            *_shared(app, platform, option),
        ]
        for platform, option in _EXPECTED
    }


@pytest.mark.parametrize("key", _EXPECTED, ids=_IDS)
def test_options_are_on_each_command_line(
    commands: Mapping[tuple[str, str], Sequence[tuple[str, Command]]], key: tuple[str, str]
) -> None:
    assert not _wrong(commands[key], _EXPECTED[key])
    platform, option = key
    if option != "default":
        # The control: without the option each kind of source would be found to lack it.
        assert _wrong(commands[platform, "default"], _EXPECTED[key]) == _KINDS


def test_more_than_a_few_sources_are_looked_at(
    commands: Mapping[tuple[str, str], Sequence[tuple[str, Command]]],
) -> None:
    for found in commands.values():
        assert sum(kind == "core" for kind, _ in found) > 100
        assert sum(kind == "overrides" for kind, _ in found) > 10


@pytest.mark.parametrize("key", _EXPECTED, ids=_IDS)
def test_units_take_the_precompiled_header(
    app: Workspace,
    commands: Mapping[tuple[str, str], Sequence[tuple[str, Command]]],
    key: tuple[str, str],
    tmp_path: Path,
) -> None:
    """g++ passes over one that was made with other flags, and reads the headers again."""
    found = dict(commands[key])
    for kind in ("units", "helpers", "hot units", "hot helpers"):
        # With O3 all have the same flags, and one header serves all.
        assert _used(app, found[kind], tmp_path) == [kind in _HOT and key[1] != "O3"]
    other = [word for word in found["units"] if word != "-DNDEBUG"]
    assert _used(app, other, tmp_path) == []


def _used(app: Workspace, command: Command, folder: Path) -> list[bool]:
    """The precompiled headers that a command uses, which -H marks with `!`: whether each is the hot one."""
    again = list(command)
    again[again.index("-o") + 1] = str(folder / "unit.o")
    again[again.index("-MF") + 1] = str(folder / "unit.d")
    done = subprocess.run(
        [*again, "-H", "-fsyntax-only"],
        cwd=app.execution_root(),
        check=True,
        text=True,
        capture_output=True,
    )
    used = [Path(line[2:]) for line in done.stderr.splitlines() if line.startswith("! ")]
    return [path.parent.name == "hot" for path in used]
