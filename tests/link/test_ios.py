"""Tests of the xcconfig: its settings, expanded like Xcode does, linked by ld64.lld for iOS's target triples."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import lief
import pytest

from link.phone import Built, build, checked
from tfcarve.emit.link_facts import LinkFacts, fragment

FACTS = LinkFacts("ios_arm64", "ios", "13.0", "", ("Accelerate", "CoreFoundation"), (), ())
# Target triple -> arguments of ld64.lld's -arch and -platform_version.
TARGETS = {
    "arm64-apple-ios13.0": ("arm64", "ios", "13.0"),
    "arm64-apple-ios16.0": ("arm64", "ios", "16.0"),
    "arm64-apple-ios14.0-simulator": ("arm64", "ios-simulator", "14.0"),
    "x86_64-apple-ios13.0-simulator": ("x86_64", "ios-simulator", "13.0"),
}
# Empty stubs of Apple's libraries.
STUB = """\
--- !tapi-tbd
tbd-version: 4
targets: [ arm64-ios, arm64-ios-simulator, x86_64-ios-simulator ]
install-name: '/{name}'
exports:
  - targets: [ arm64-ios, arm64-ios-simulator, x86_64-ios-simulator ]
    symbols: [ dyld_stub_binder ]
...
"""
STUBS = (
    "usr/lib/libSystem.tbd",
    "usr/lib/libc++.tbd",
    "System/Library/Frameworks/Accelerate.framework/Accelerate.tbd",
    "System/Library/Frameworks/CoreFoundation.framework/CoreFoundation.tbd",
)


@pytest.fixture(scope="module", params=sorted(TARGETS))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("ios")
    for name in STUBS:
        stub = folder / "sdk" / name
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(STUB.format(name=name))
    for name in ("link_flags.txt", "tensorflow-core.xcconfig"):
        (folder / name).write_bytes(fragment(FACTS, name, "2.14.1", has_session=True))
    return build(request.param, folder)


def _settings(text: str, overrides: dict[str, str]) -> dict[str, str]:
    """The build settings of an xcconfig, with those of Xcode and the user as `overrides`."""
    settings: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("//")[0].partition("=")
        if equals:
            settings[name.strip()] = value.strip()
    settings |= overrides

    def expanded(value: str) -> str:
        return re.sub(
            r"\$\((\w+)\)",
            lambda m: "" if m[1] == "inherited" else expanded(settings[m[1]]),
            value,
        )

    return {name: expanded(value) for name, value in settings.items()}


def _xcconfig(built: Built) -> dict[str, str]:
    text = (built.folder / "tensorflow-core.xcconfig").read_text()
    return _settings(text, {"SRCROOT": "/app", "TENSORFLOW_CORE_DIR": str(built.folder)})


def _link(built: Built, output: Path, flags: list[str]) -> int:
    """Links the app; returns the number of functions that run when it is loaded."""
    arch, platform, version = TARGETS[built.triple]
    target = ["-arch", arch, "-platform_version", platform, version, "17.0"]
    sdk = ["-syslibroot", str(built.folder / "sdk"), "-lSystem"]
    command = ["ld64.lld-19", *target, *sdk, "-dylib", "-o", str(output), str(built.app)]
    checked([*command, *flags], cwd=built.folder)
    return _initialisers(output)


def _initialisers(library: Path) -> int:
    """The number of pointers in __mod_init_func, or for iOS 16 and later of offsets in __init_offsets."""
    image = lief.parse(str(library))
    assert isinstance(image, lief.MachO.Binary)
    sizes = {"__mod_init_func": 8, "__init_offsets": 4}
    return sum(s.size // sizes[s.name] for s in image.sections if s.name in sizes)


def test_xcode(built: Built, tmp_path: Path) -> None:
    settings = _xcconfig(built)
    flags = shlex.split(settings["OTHER_LDFLAGS"])
    assert flags[-5:] == ["-framework", "Accelerate", "-framework", "CoreFoundation", "-lc++"]
    assert settings["DEAD_CODE_STRIPPING"] == "YES"
    assert shlex.split(settings["HEADER_SEARCH_PATHS"]) == [str(built.folder / "include")]
    assert _link(built, tmp_path / "app", [*flags, "-dead_strip"]) == 1


def test_plain_flags(built: Built, tmp_path: Path) -> None:
    flags = (built.folder / "link_flags.txt").read_text().split()
    assert _link(built, tmp_path / "app", ["-L.", *flags]) == 1


def test_without_the_flags_nothing_is_registered(built: Built, tmp_path: Path) -> None:
    flags = [str(built.folder / "libtensorflow-core.a"), "-dead_strip"]
    assert _link(built, tmp_path / "app", flags) == 0


def test_default_folder(built: Built) -> None:
    text = (built.folder / "tensorflow-core.xcconfig").read_text()
    assert _settings(text, {"SRCROOT": "/app"})["TENSORFLOW_CORE_DIR"] == "/app/tensorflow"
