"""A library's options on the command lines of all sources that it consists of.

Units and helper sources are files of tree artifacts: `aquery` does not show their command lines, and `--per_file_copt`
does not apply to them. A few are compiled, and their command lines are in Bazel's execution log. The core is not
compiled: `aquery` shows its command lines.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from selections import selection

import extent
from e2e.builds import app_workspace, prebuilt_selection
from tfcarve.app.workspace import Workspace
from tfcarve.releases import known

_PACKAGE = "command_lines"
_KERNELS = "tensorflow/core/kernels"
# A source of each kind. These are overrides, which compile quickly.
_UNITS = {"no_op": "units", "matmul_op_real": "hot units"}
_HELPERS = {"fill_functor": "helpers", "transpose_functor_cpu": "hot helpers"}
_COMPILED = {**_UNITS, **_HELPERS, "manifest": "manifest"}
# The kinds of sources that do not depend on the selection, by a pattern of the path.
_SHARED = {
    "core": r".*/core_groups/tensorflow_core_\w+\.cc",
    "overrides": r".*third_party/tensorflow/overrides/core/.*\.cc",
    "messages": r"bazel-out/.*\.pb\.cc",
    "C interface": r".*/c_api_groups/\w+\.cc",
    "threads": r".*/threads_groups/\w+\.cc",
    "math": r".*tools/runtime/math/(?:byte_product|convolution|product)\.cc",
    "loops": r".*tools/runtime/math/(?:byte_kernels|byte_loops|kernels)\.cc",
    "Abseil": r".*/abseil_groups/\w+\.cc",
    "protobuf": r".*/protobuf_lite_groups/\w+\.cc",
    "header": r".*/tensorflow_headers\.h",
}
_HOT = {"hot units", "hot helpers", "hot header"}
# Kinds with their own optimization, whatever the library's option is.
_OWN_OPTIMIZATION = {"math": "-Os", "loops": "-O2"}
_KINDS = {*_COMPILED.values(), *_SHARED, "hot header"}

# The flags in effect for each platform and option: the optimization of most sources, that of hot sources, and the CPU.
_EXPECTED = {
    ("linux_x86_64", "default"): ("-Os", "-O2", ""),
    ("linux_x86_64", "Oz"): ("-Oz", "-Oz", ""),
    ("linux_x86_64", "O2"): ("-O2", "-O2", ""),
    ("linux_x86_64", "O3"): ("-O3", "-O3", ""),
    ("linux_x86_64", "x86_64_v2"): ("-Os", "-O2", "-march=x86-64-v2"),
    ("linux_x86_64", "x86_64_v3"): ("-Os", "-O2", "-march=x86-64-v3"),
    ("linux_x86_64", "x86_64_v4"): ("-Os", "-O2", "-march=x86-64-v4"),
    ("linux_arm64", "default"): ("-Os", "-O2", "-mcpu=cortex-a53"),
    ("linux_arm64", "O3"): ("-O3", "-O3", "-mcpu=cortex-a53"),
    ("linux_arm64", "cortex_a72"): ("-Os", "-O2", "-mcpu=cortex-a72"),
    ("linux_arm64", "cortex_a76"): ("-Os", "-O2", "-mcpu=cortex-a76"),
    ("linux_armv7", "default"): ("-Os", "-O2", "-mcpu=cortex-a7 -mfpu=neon-vfpv4"),
    ("linux_armv7", "O3"): ("-O3", "-O3", "-mcpu=cortex-a7 -mfpu=neon-vfpv4"),
    ("linux_armv7", "cortex_a72"): ("-Os", "-O2", "-mcpu=cortex-a72 -mfpu=neon-fp-armv8"),
}
# Each precompiles its own headers, which takes most of the time.
_KEYS = extent.some(tuple(_EXPECTED), ("linux_x86_64", "default"))
_IDS = ["-".join(key) for key in _KEYS]

Command = Sequence[str]
Commands = Sequence[tuple[str, Command]]  # with the kind of each
Key = tuple[str, str]  # platform and option


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("selection")
    with app_workspace.opened() as workspace:
        chosen = selection(
            [("NoOp", "None", f"{_KERNELS}/{name}.cc") for name in _UNITS],
            helpers=[f"{_KERNELS}/{name}.cc" for name in _HELPERS],
            defines=known.release().defines,
        )
        prebuilt_selection.place(workspace, chosen, folder, _PACKAGE)
        (folder / "run.bzl").write_text(f'"""The ID of one run."""\n\nRUN = "{_RUN}"\n')
        workspace.place(_PACKAGE, {"run.bzl": folder / "run.bzl"}, "run.bzl")
        yield workspace


_RUN = f"{os.getpid()}_{os.urandom(4).hex()}"


def _target(platform: str, option: str) -> str:
    return f"//{_PACKAGE}:{platform}_{option}_{_RUN}"


def _compiled(app: Workspace, platform: str, option: str) -> dict[str, Command]:
    """The commands that compile units, helper sources and the manifest, by kind."""
    build = app_workspace.count_compiles(app, [_target(platform, option)], ["--norun_validations"])
    return {
        _COMPILED[spawn.source.rpartition("__")[2]]: spawn.arguments
        for spawn in build.compiles
        if any(f"/{option}_{_RUN}/" in output for output in spawn.outputs)
    }


def _source(command: Command) -> str:
    return command[command.index("-c") + 1] if "-c" in command else ""


def _shared(app: Workspace, platform: str, option: str) -> Iterator[tuple[str, Command]]:
    """Yields the kinds and commands of the sources that do not depend on the selection."""
    query = f'mnemonic("CppCompile|TfPrecompiledHeader", deps({_target(platform, option)}))'
    for action in app.actions(query):
        command = action.get("arguments", ())
        if any("-exec" in word for word in command):
            continue  # a program that generates sources
        for kind, pattern in _SHARED.items():
            if re.fullmatch(pattern, _source(command)):
                hot = any("/hot/tensorflow_headers" in word for word in command)
                yield f"hot {kind}" if hot else kind, command


def _last(command: Command, *prefixes: str) -> str:
    return ([word for word in command if word.startswith(prefixes)] or [""])[-1]


def _expected(kind: str, key: Key) -> tuple[str, str]:
    """The optimization and the CPU flags of a kind of source."""
    size, speed, cpu = _EXPECTED[key]
    return _OWN_OPTIMIZATION.get(kind, speed if kind in _HOT else size), cpu


def _in_effect(command: Command) -> tuple[str, str]:
    """The optimization and the CPU flags that are last on a command line."""
    cpu = (_last(command, "-march=", "-mcpu="), _last(command, "-mfpu="))
    return _last(command, "-O"), " ".join(flag for flag in cpu if flag)


def _wrong(commands: Commands, key: Key) -> set[str]:
    """The kinds that have a command with other flags than expected, or no command."""
    missing = _KINDS - {kind for kind, _ in commands}
    return missing | {kind for kind, c in commands if _in_effect(c) != _expected(kind, key)}


@pytest.fixture(scope="module")
def commands(app: Workspace) -> Mapping[Key, Commands]:
    return {
        (platform, option): [
            *_compiled(app, platform, option).items(),
            *_shared(app, platform, option),
        ]
        for platform, option in _KEYS
    }


@pytest.mark.parametrize("key", _KEYS, ids=_IDS)
def test_options_are_on_each_command_line(commands: Mapping[Key, Commands], key: Key) -> None:
    assert not _wrong(commands[key], key)
    # The control: each kind that another option of the platform changes does not have its flags.
    for other in _EXPECTED:
        if other[0] == key[0] and other != key:
            changed = {kind for kind in _KINDS if _expected(kind, key) != _expected(kind, other)}
            assert changed
            assert _wrong(commands[key], other) == changed


def test_most_sources_are_checked(
    commands: Mapping[Key, Commands],
) -> None:
    for found in commands.values():
        assert sum(kind == "core" for kind, _ in found) > 3
        assert sum(kind == "overrides" for kind, _ in found) > 10
        assert sum(kind == "protobuf" for kind, _ in found) > 3
        assert len({_source(command) for kind, command in found if kind == "math"}) == 3


def test_only_loops_for_armv7_have_unsafe_math(commands: Mapping[Key, Commands]) -> None:
    """The flag changes results for NaN, infinity and denormal numbers."""
    for (platform, _), found in commands.items():
        unsafe = {
            kind for kind, c in found if {"-funsafe-math-optimizations", "-ffast-math"} & {*c}
        }
        assert unsafe == ({"loops"} if platform == "linux_armv7" else set())


@pytest.mark.parametrize("key", _KEYS, ids=_IDS)
def test_units_use_the_precompiled_header(
    app: Workspace,
    commands: Mapping[Key, Commands],
    key: Key,
    tmp_path: Path,
) -> None:
    """g++ ignores a precompiled header that was compiled with other flags and reads the headers again."""
    found = dict(commands[key])
    for kind in ("units", "helpers", "hot units", "hot helpers"):
        # If all sources have the same optimization, all use one header.
        size, speed, _ = _EXPECTED[key]
        assert _used(app, found[kind], tmp_path) == [kind in _HOT and size != speed]
    other = [word for word in found["units"] if word != "-DNDEBUG"]
    assert _used(app, other, tmp_path) == []


def _used(app: Workspace, command: Command, folder: Path) -> list[bool]:
    """Whether each precompiled header that a command uses, marked with `!` by -H, is the one of hot sources."""
    check = list(command)
    check[check.index("-o") + 1] = str(folder / "unit.o")
    check[check.index("-MF") + 1] = str(folder / "unit.d")
    done = subprocess.run(
        [*check, "-H", "-fsyntax-only"],
        cwd=app.execution_root(),
        check=True,
        text=True,
        capture_output=True,
    )
    used = [Path(line[2:]) for line in done.stderr.splitlines() if line.startswith("! ")]
    return [path.parent.name == "hot" for path in used]
