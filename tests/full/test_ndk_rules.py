"""The command lines of a library with the toolchains of rules_android_ndk, and a fake NDK without compilers.

No package client has the rules: TFCARVE_RULES_ANDROID_NDK is a folder with version 0.1.2 or later.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from demo import nested
from tfcarve.objfile import cpu

_TOOLS = (
    "clang",
    "clang++",
    "ld",
    "llvm-ar",
    "llvm-nm",
    "llvm-objcopy",
    "llvm-objdump",
    "llvm-strip",
)
_PREBUILT = Path("toolchains/llvm/prebuilt/linux-x86_64")
_TRIPLES = {
    "arm64-v8a": "aarch64-linux-android",
    "armeabi-v7a": "arm-linux-androideabi",
    "x86": "i686-linux-android",
    "x86_64": "x86_64-linux-android",
}
# A fake clang that prints its resource directory.
_CLANG = """\
#!/bin/sh
echo "$(dirname "$(dirname "$0")")/lib/clang/19"
"""


def _ndk(folder: Path) -> Path:
    """Creates the files that the rules look for in an NDK."""
    prebuilt = folder / _PREBUILT
    for tool in _TOOLS:
        file = prebuilt / "bin" / tool
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_CLANG)
        file.chmod(0o755)
    (prebuilt / "lib/clang/19/include").mkdir(parents=True)
    (prebuilt / "sysroot/usr/include").mkdir(parents=True)
    for triple in _TRIPLES.values():
        for library in ("libc++_static.a", "libc++abi.a"):
            file = prebuilt / "sysroot/usr/lib" / triple / library
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"!<arch>\n")
    return folder


Actions = Mapping[str, Sequence[Sequence[str]]]


@pytest.fixture(name="actions", scope="module")
def _actions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Actions]:
    """Yields mnemonic -> command lines of the actions that build the AAR."""
    rules = os.environ.get("TFCARVE_RULES_ANDROID_NDK")
    assert rules, "set TFCARVE_RULES_ANDROID_NDK to a folder with rules_android_ndk"
    ndk = _ndk(tmp_path_factory.mktemp("ndk"))
    with nested.opened(nested.source_tree() / "tests/full/ndk", "ndk") as workspace:
        flags = [
            f"--override_module=rules_android_ndk={rules}",
            f"--repo_env=ANDROID_NDK_HOME={ndk}",
        ]
        actions = workspace.actions("deps(//:android)", flags)
    commands: dict[str, list[Sequence[str]]] = {}
    for action in actions:
        commands.setdefault(action["mnemonic"], []).append(action.get("arguments", []))
    yield commands


def _for_android(commands: Sequence[Sequence[str]]) -> dict[str, list[Sequence[str]]]:
    """Returns triple with the API level -> command lines, without those of build tools."""
    found: dict[str, list[Sequence[str]]] = {}
    for command in commands:
        at = [i for i, flag in enumerate(command) if flag in ("-target", "--target")]
        joined = [flag.partition("=")[2] for flag in command if flag.startswith("--target=")]
        for triple in [command[i + 1] for i in at] + joined:
            if "android" in triple:
                found.setdefault(triple, []).append(command)
    return found


def test_each_abi_is_compiled_for_its_api_level(actions: Actions) -> None:
    compiled = _for_android(actions["CppCompile"])
    assert len(compiled) == len(cpu.BY_ANDROID_ABI)
    assert all(triple.endswith("26") for triple in compiled)
    for commands in compiled.values():
        headers = [
            command for command in commands if any("tensorflow_headers" in f for f in command)
        ]
        assert len(headers) > 200
        assert all("-include-pch" in command for command in headers)


def test_shared_library_links_all_registrations(actions: Actions) -> None:
    linked = _for_android(actions["CppLink"])
    for commands in linked.values():
        (line,) = (c for c in commands if any("libtensorflow_inference.so" in flag for flag in c))
        text = " ".join(line)
        assert "-Wl,-soname,libtensorflow_inference.so" in text
        assert "-Wl,-z,max-page-size=16384" in text
        assert "--version-script=" in text
        at = next(i for i, flag in enumerate(line) if flag.endswith("parts/libunits.a"))
        before = [flag for flag in line[:at] if "whole-archive" in flag]
        assert before[-1].endswith("-whole-archive") and "no-whole" not in before[-1]
        helpers = next(i for i, flag in enumerate(line) if flag.endswith("parts/libhelpers.a"))
        assert "no-whole" in [flag for flag in line[:helpers] if "whole-archive" in flag][-1]


def test_aar_has_the_api_level(actions: Actions) -> None:
    (line,) = actions["TfAar"]
    assert line[line.index("--api-level") + 1] == "26"
