"""Tests of link facts: which are refused, and the files for each build system."""

import json
import re
from typing import Any

import pytest
from msgspec.structs import asdict, replace

from tfcarve.emit.link_facts import FRAGMENTS, LinkFacts, fragment, parse
from tfcarve.errors import InvalidInput

LINUX = LinkFacts(
    platform="linux_arm64",
    os="linux",
    minimum_os_version="",
    shared_library="libtensorflow-core.so",
    frameworks=(),
    system_flags=("-ldl", "-pthread"),
    defines=("NDEBUG", "EIGEN_NEON_GEBP_NR=4"),
)
OTHERS = {
    "android": LinkFacts("android_arm64", "android", "26", "libt.so", (), ("-llog",), ()),
    "ios": LinkFacts("ios_arm64", "ios", "15.0", "", ("Accelerate",), ("-lm",), ()),
    "linux": LINUX,
}


def _document(**changed: Any) -> bytes:
    return json.dumps({**asdict(LINUX), **changed}).encode()


def test_parse() -> None:
    assert parse(_document(), "facts") == LINUX


@pytest.mark.parametrize(
    ("name", "system"), [(n, s) for n, all_ in FRAGMENTS.items() for s in all_]
)
def test_every_fragment_forces_the_registrations_and_nothing_else(name: str, system: str) -> None:
    facts = OTHERS[system]
    text = fragment(facts, name, "2.14.1", has_session=True).decode()
    assert text.endswith("\n") and not text.endswith("\n\n")
    shared_only = name == "tensorflow-core-shared.pc"
    forced = re.findall(
        r"(?:--whole-archive,|-force_load)\s*(\S+?)(?:,--no-whole-archive|\s|$)", text
    )
    assert len(forced) == (0 if shared_only else 1), text
    for archive in forced:
        assert "libtensorflow-registrations.a" in archive
    if not shared_only:
        assert all(flag in text for flag in facts.system_flags)
        assert all(f"-framework {f}" in text.replace("\n", " ") for f in facts.frameworks)


def test_pkg_config_and_the_plain_list_have_the_same_flags() -> None:
    plain = fragment(LINUX, "link_flags.txt", "2.14.1", has_session=True).decode().split()
    package = fragment(LINUX, "tensorflow-core.pc", "2.14.1", has_session=True).decode()
    libs = package.split("Libs: ")[1].split()
    assert [flag for flag in libs if flag not in ("-L${prefix}", "-lstdc++")] == plain


def test_macros_for_cmake_and_make() -> None:
    assert (
        '"NDEBUG;EIGEN_NEON_GEBP_NR=4"'
        in fragment(LINUX, "TensorFlowCoreConfig.cmake", "1", has_session=True).decode()
    )
    assert (
        "-DEIGEN_NEON_GEBP_NR=4"
        in fragment(LINUX, "tensorflow-core.mk", "1", has_session=True).decode()
    )


@pytest.mark.parametrize(
    ("system", "name", "message"),
    [
        ("android", "Android.mk", "# It requires API level 26 or higher: set APP_PLATFORM to android-26 or"),
        ("android", "TensorFlowCoreConfig.cmake", "# It requires API level 26 or higher: set ANDROID_PLATFORM"),
        ("ios", "tensorflow-core.xcconfig", "// It requires iOS 15.0 or newer: set IPHONEOS_DEPLOYMENT"),
    ],
)  # fmt: skip
def test_minimum_os_version(system: str, name: str, message: str) -> None:
    assert f"\n{message}" in fragment(OTHERS[system], name, "1", has_session=True).decode()
    unknown = replace(OTHERS[system], minimum_os_version="")
    assert "It requires" not in fragment(unknown, name, "1", has_session=True).decode()


def test_fragment_for_another_operating_system() -> None:
    with pytest.raises(
        InvalidInput, match=r"Android.mk: not available for linux_arm64: available are Tensor"
    ):
        fragment(LINUX, "Android.mk", "2.14.1", has_session=True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "facts: Input data was truncated"),
        (b"[" * 50_000, "Expected `object`, got `array`"),
        (b"[]", "Expected `object`, got `array`"),
        (b"{}", "missing required field `platform`"),
        (_document(os=3), r"Expected `str`, got `int` - at `\$.os`"),
        (_document(more=1), "unknown field `more`"),
        (_document(os="plan9"), "unknown operating system 'plan9': known are android, ios, linux"),
        (_document(system_flags=["-lm; rm -r ."]), r"letters, digits and _.,=\+:/- only"),
        (_document(frameworks=["A;B"]), "letters, digits"),
        (_document(defines=['A="$(B)"']), "letters, digits"),
        (_document(platform=""), "letters, digits"),
        (_document(minimum_os_version="13\n#"), "is not a version: use digits and dots only"),
    ],
)
def test_invalid_facts(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(data, "facts")


def test_unsafe_version() -> None:
    with pytest.raises(InvalidInput, match="version"):
        fragment(LINUX, "tensorflow-core.mk", "2\n$(shell date)", has_session=True)
