"""Link fragments: what they say for each system, and what facts are refused."""

import json
import re
from dataclasses import asdict, replace
from typing import Any

import pytest

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


def test_facts_are_read_as_they_are_written() -> None:
    assert parse(_document(), "facts") == LINUX


@pytest.mark.parametrize(
    ("name", "system"), [(n, s) for n, all_ in FRAGMENTS.items() for s in all_]
)
def test_every_fragment_forces_the_registrations_and_nothing_else(name: str, system: str) -> None:
    facts = OTHERS[system]
    text = fragment(facts, name, "2.14.1").decode()
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


def test_pkg_config_and_the_plain_list_say_the_same() -> None:
    plain = fragment(LINUX, "link_flags.txt", "2.14.1").decode().split()
    package = fragment(LINUX, "tensorflow-core.pc", "2.14.1").decode()
    libs = package.split("Libs: ")[1].split()
    assert [flag for flag in libs if flag not in ("-L${prefix}", "-lstdc++")] == plain


def test_macros_of_the_headers_reach_cmake_and_make() -> None:
    assert (
        '"NDEBUG;EIGEN_NEON_GEBP_NR=4"'
        in fragment(LINUX, "TensorFlowCoreConfig.cmake", "1").decode()
    )
    assert "-DEIGEN_NEON_GEBP_NR=4" in fragment(LINUX, "tensorflow-core.mk", "1").decode()


@pytest.mark.parametrize(
    ("system", "name", "message"),
    [
        ("android", "Android.mk", "# It runs on API level 26 and newer: set APP_PLATFORM to android-26 or"),
        ("android", "TensorFlowCoreConfig.cmake", "# It runs on API level 26 and newer: set ANDROID_PLATFORM"),
        ("ios", "tensorflow-core.xcconfig", "// It runs on iOS 15.0 and newer: set IPHONEOS_DEPLOYMENT"),
    ],
)  # fmt: skip
def test_the_minimum_os_version_is_told(system: str, name: str, message: str) -> None:
    assert f"\n{message}" in fragment(OTHERS[system], name, "1").decode()
    untold = replace(OTHERS[system], minimum_os_version="")
    assert "It runs on" not in fragment(untold, name, "1").decode()


def test_a_fragment_of_another_system_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"Android.mk: not made for linux_arm64; there are: Tensor"
    ):
        fragment(LINUX, "Android.mk", "2.14.1")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "facts: Expecting property name"),
        (b"[" * 50_000, "nested too deep"),
        (b"[]", "an object was expected"),
        (_document(os=3), "a string was expected"),
        (_document(more=1), "exactly these keys were expected"),
        (_document(os="plan9"), "no system 'plan9'; there are: android, ios, linux"),
        (_document(system_flags=["-lm; rm -r ."]), r"letters, digits and _.,=\+:/- only"),
        (_document(frameworks=["A;B"]), "letters, digits"),
        (_document(defines=['A="$(B)"']), "letters, digits"),
        (_document(platform=""), "letters, digits"),
        (_document(minimum_os_version="13\n#"), "no version: digits and dots only"),
    ],
)
def test_bad_facts(data: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(data, "facts")


def test_a_version_from_a_model_is_no_way_into_a_makefile() -> None:
    with pytest.raises(InvalidInput, match="version"):
        fragment(LINUX, "tensorflow-core.mk", "2\n$(shell date)")
