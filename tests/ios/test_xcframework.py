"""Tests of xcframeworks, with objects that clang compiles for devices and simulators."""

import plistlib
from pathlib import Path

import clang
import pytest

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.objfile import universal
from tfcarve.objfile.macho_objects import mach_objects
from tfcarve.package.xcframework import Slice, xcframework

DEVICE = "arm64-apple-ios13.0"
SIMULATOR = "arm64-apple-ios14.0-simulator"
SIMULATOR_X86 = "x86_64-apple-ios13.0-simulator"

# A function that runs at load time, like that of a TensorFlow registration.
_REGISTERING = "volatile int count; int add() { return count = count + 1; } int registered = add();"


def _library(folder: Path, target: str, bsd: bool = True) -> Path:
    return clang.archived(
        folder / f"{target}.a",
        clang.compiled(folder, target, _REGISTERING),
        clang.compiled(
            folder, target, "int plain() { return 1; }", "a_name_of_more_than_16_letters"
        ),
        bsd=bsd,
    )


def _slice(path: Path, platform: str, arch: str, minimum: tuple[int, int] = (14, 0)) -> Slice:
    return Slice(platform, arch, minimum, path.read_bytes(), str(path))


def _slices(folder: Path) -> list[Slice]:
    return [
        _slice(_library(folder, DEVICE), "ios", "arm64"),
        _slice(_library(folder, SIMULATOR), "ios-simulator", "arm64"),
        _slice(_library(folder, SIMULATOR_X86), "ios-simulator", "x86_64"),
    ]


@pytest.mark.parametrize("bsd", [True, False], ids=["libtool", "ar"])
def test_objects(tmp_path: Path, bsd: bool) -> None:
    plain, registering = sorted(
        mach_objects(_library(tmp_path, SIMULATOR, bsd).read_bytes(), "lib.a"),
        key=lambda one: one.initialisers,
    )
    assert (plain.arch, plain.platform, plain.minimum_os) == ("arm64", "ios-simulator", (14, 0))
    assert (plain.initialisers, registering.initialisers) == (0, 1)
    assert plain.name == f"lib.a(a_name_of_more_than_16_letters.{SIMULATOR}.o)"


def test_universal_file_equals_that_of_lipo(tmp_path: Path) -> None:
    _, *simulator = _slices(tmp_path)
    clang.run("llvm-lipo", "-create", *(s.where for s in simulator), "-output", tmp_path / "fat.a")
    packed = universal.pack({s.arch: s.archive for s in simulator})
    assert packed == (tmp_path / "fat.a").read_bytes()
    assert packed == universal.pack({s.arch: s.archive for s in simulator[::-1]})
    # Control: unlike xcframeworks, universal files cannot have a device and a simulator of one CPU.
    both = (tmp_path / f"{target}.a" for target in (DEVICE, SIMULATOR))
    clang.run("llvm-lipo", "-create", *both, "-output", tmp_path / "no.a", expect=1)


def test_xcframework(tmp_path: Path) -> None:
    files = xcframework("libt.a", _slices(tmp_path), {"t.h": b"int t;\n"})
    assert sorted(files) == [
        "Info.plist",
        "ios-arm64/Headers/t.h",
        "ios-arm64/libt.a",
        "ios-arm64_x86_64-simulator/Headers/t.h",
        "ios-arm64_x86_64-simulator/libt.a",
    ]
    plist = plistlib.loads(files["Info.plist"])
    assert (plist["CFBundlePackageType"], plist["XCFrameworkFormatVersion"]) == ("XFWK", "1.0")
    device, simulator = plist["AvailableLibraries"]
    assert "SupportedPlatformVariant" not in device
    assert simulator == {
        "BinaryPath": "libt.a",
        "HeadersPath": "Headers",
        "LibraryIdentifier": "ios-arm64_x86_64-simulator",
        "LibraryPath": "libt.a",
        "SupportedArchitectures": ["arm64", "x86_64"],
        "SupportedPlatform": "ios",
        "SupportedPlatformVariant": "simulator",
    }
    inside = {
        (one.arch, one.platform)
        for one in mach_objects(files["ios-arm64_x86_64-simulator/libt.a"], "libt.a")
    }
    assert inside == {("arm64", "ios-simulator"), ("x86_64", "ios-simulator")}


@pytest.mark.parametrize(
    ("target", "platform", "arch", "minimum", "message"),
    [
        (DEVICE, "ios-simulator", "arm64", (14, 0), "compiled for ios: pass clang a target for"),
        (SIMULATOR, "ios", "arm64", (14, 0), "compiled for ios-simulator: pass clang"),
        (SIMULATOR_X86, "ios-simulator", "arm64", (14, 0), "compiled for x86_64: compile it"),
        ("armv7-apple-ios10.0", "ios", "arm64", (13, 0), "compiled for armv7 (32 bits): compile"),
        (
            "arm64-apple-ios15.2",
            "ios",
            "arm64",
            (13, 0),
            "requires iOS 15.2, but the slice's minimum is 13.0",
        ),
        ("aarch64-linux-android24", "ios", "arm64", (13, 0), "an ELF object for Linux or Android"),
    ],
)
def test_objects_for_something_else_are_rejected(
    tmp_path: Path, target: str, platform: str, arch: str, minimum: tuple[int, int], message: str
) -> None:
    one = clang.compiled(tmp_path, target, _REGISTERING)
    library = clang.archived(tmp_path / "lib.a", one)
    with pytest.raises(InvalidInput) as refused:
        xcframework("libt.a", [_slice(library, platform, arch, minimum)], {})
    assert message in str(refused.value)
    assert one.name in str(refused.value)


def test_duplicate_and_missing_slices_are_rejected(tmp_path: Path) -> None:
    device = _slices(tmp_path)[0]
    with pytest.raises(InvalidInput, match="a second library for arm64 of ios, after"):
        xcframework("libt.a", [device, device], {})
    with pytest.raises(InvalidInput, match="at least one library"):
        xcframework("libt.a", [], {})
    with pytest.raises(InvalidInput, match="contains no objects"):
        xcframework("libt.a", [Slice("ios", "arm64", (13, 0), b"!<arch>\n", "empty.a")], {})


def test_damaged_libraries_are_rejected(tmp_path: Path) -> None:
    whole = _slices(tmp_path)
    fat = universal.pack({s.arch: s.archive for s in whole[1:]})
    for data, message in (
        (b"", "does not begin with"),
        (whole[0].archive[:-900], "ends beyond the archive"),
        (fat[:20], "ends in its header"),
        (fat[:-900], "ends beyond the file"),
        (fat[:7] + b"\xff" + fat[8:], "a universal file of 255 slices"),
        (whole[0].archive.replace(b"\xcf\xfa\xed\xfe", b"BC\xc0\xde"), "not a Mach-O object"),
    ):
        with pytest.raises(InvalidInput, match=message):
            tuple(mach_objects(data, "lib.a"))


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for target in (DEVICE, SIMULATOR, SIMULATOR_X86):
        _library(tmp_path, target)
    header = tmp_path / "t.h"
    header.write_bytes(b"int t;\n")
    output = tmp_path / "t.xcframework"
    slices = [
        f"ios:arm64:13.0={tmp_path / DEVICE}.a",
        f"ios-simulator:arm64:14.0={tmp_path / SIMULATOR}.a",
        f"ios-simulator:x86_64:13.0={tmp_path / SIMULATOR_X86}.a",
    ]
    assert main(["xcframework", *slices, "--header", str(header), "-o", str(output)]) == 0
    assert (output / "ios-arm64" / "Headers" / "t.h").read_bytes() == b"int t;\n"
    # Another run without the simulator leaves nothing of it.
    assert main(["xcframework", slices[0], "-o", str(output)]) == 0
    left = sorted(p.relative_to(output).as_posix() for p in output.rglob("*") if p.is_file())
    assert left == ["Info.plist", "ios-arm64/libtensorflow-core.a"]

    wrong = slices[0].replace("ios:", "ios-simulator:")
    fresh = tmp_path / "fresh.xcframework"
    assert main(["xcframework", wrong, "-o", str(fresh)]) == 2
    assert "compiled for ios: pass clang" in capsys.readouterr().err
    assert not fresh.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lib.a", "expected PLATFORM:CPU:MINIMUM_OS=LIBRARY"),
        ("ios:mips:13.0=lib.a", "unknown CPU mips: expected one of arm64, x86_64"),
        ("ios:arm64:13.0=no_such.a", "no such file"),
    ],
)
def test_invalid_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert main(["xcframework", text, "-o", str(tmp_path / "x.xcframework")]) == 2
    assert message in capsys.readouterr().err


def test_command_leaves_other_folders_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = _library(tmp_path, DEVICE)
    assert main(["xcframework", f"ios:arm64:13.0={library}", "-o", str(tmp_path)]) == 2
    assert "exists and is not an xcframework" in capsys.readouterr().err
    app = tmp_path / "App"
    app.mkdir()
    for info in (b"", b"none", plistlib.dumps({"CFBundlePackageType": "APPL"}), plistlib.dumps([])):
        (app / "Info.plist").write_bytes(info)
        assert main(["xcframework", f"ios:arm64:13.0={library}", "-o", str(app)]) == 2
        assert "exists and is not an xcframework" in capsys.readouterr().err
        assert (app / "Info.plist").read_bytes() == info
    assert library.exists()
