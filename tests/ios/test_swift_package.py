"""Tests of Swift packages, with small libraries that clang links for devices and simulators."""

from __future__ import annotations

import plistlib
from pathlib import Path

import clang
import pytest
from test_xcframework import DEVICE, SIMULATOR, SIMULATOR_X86

from tfcarve.cli import main
from tfcarve.objfile.macho_objects import mach_objects
from tfcarve.package.privacy_manifest import privacy_manifest

_SOURCE = """
extern "C" int fstat(int, void*);
extern "C" int tfcarve_size(int file) { return fstat(file, nullptr); }
"""
_FRAMEWORK = "TensorFlowCore.xcframework/ios-arm64/TensorFlowCore.framework"
_SLICES = {
    DEVICE: "ios:arm64:13.0",
    SIMULATOR: "ios-simulator:arm64:14.0",
    SIMULATOR_X86: "ios-simulator:x86_64:13.0",
}


def _library(folder: Path, target: str) -> Path:
    one = clang.compiled(folder, target, _SOURCE)
    output = folder / f"{target}.dylib"
    linker = ("-fuse-ld=lld", "-dynamiclib", "-nostdlib", "-Wl,-undefined,dynamic_lookup")
    clang.run("clang", f"--target={target}", *linker, one, "-o", output)
    return output


@pytest.fixture(name="arguments")
def _arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("api.h").write_text("int tfcarve_size(int);\n", encoding="utf-8")
    Path("Size.swift").write_text("import TensorFlowCore\n", encoding="utf-8")
    slices = [f"{words}={_library(tmp_path, target)}" for target, words in _SLICES.items()]
    options = ("--identifier=org.example.Core", "--header=api.h", "--source=Size.swift", "-o=out")
    return ["swift-package", *slices, *options]


def test_files(arguments: list[str]) -> None:
    assert main(arguments) == 0
    out = Path("out")
    simulator = "TensorFlowCore.xcframework/ios-arm64_x86_64-simulator/TensorFlowCore.framework"
    found = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    inside = (
        *("Headers/tfcarve_c_api.h", "Info.plist", "Modules/module.modulemap"),
        *("PrivacyInfo.xcprivacy", "TensorFlowCore"),
    )
    assert found == {
        "Package.swift",
        "Sources/TensorFlowCarved/Size.swift",
        "TensorFlowCore.xcframework/Info.plist",
        *(f"{folder}/{name}" for folder in (_FRAMEWORK, simulator) for name in inside),
    }
    archs = {
        one.arch for one in mach_objects((out / simulator / "TensorFlowCore").read_bytes(), "")
    }
    assert archs == {"arm64", "x86_64"}
    info = plistlib.loads((out / _FRAMEWORK / "Info.plist").read_bytes())
    assert (info["CFBundleExecutable"], info["CFBundlePackageType"]) == ("TensorFlowCore", "FMWK")
    assert (info["MinimumOSVersion"], info["CFBundleSupportedPlatforms"]) == ("13.0", ["iPhoneOS"])
    device, _ = plistlib.loads((out / "TensorFlowCore.xcframework/Info.plist").read_bytes())[
        "AvailableLibraries"
    ]
    assert device["BinaryPath"] == "TensorFlowCore.framework/TensorFlowCore"
    assert '.iOS("13.0")' in (out / "Package.swift").read_text(encoding="utf-8")
    # Another package replaces it; other folders stay.
    assert main([*arguments, "--name=Other"]) == 0
    assert not (out / "Sources/TensorFlowCarved/Size.swift").exists()


def test_privacy_manifest(arguments: list[str]) -> None:
    assert main(arguments) == 0
    manifest = plistlib.loads((Path("out") / _FRAMEWORK / "PrivacyInfo.xcprivacy").read_bytes())
    assert manifest["NSPrivacyTracking"] is False
    assert manifest["NSPrivacyAccessedAPITypes"] == [
        {
            "NSPrivacyAccessedAPIType": "NSPrivacyAccessedAPICategoryFileTimestamp",
            "NSPrivacyAccessedAPITypeReasons": ["C617.1"],
        }
    ]


@pytest.mark.parametrize(
    ("imported", "categories"),
    [
        ((), []),
        (("_fopen", "_status", "_fstat64_of_mine"), []),
        (("_fstat$INODE64",), ["FileTimestamp"]),
        (("_mach_absolute_time", "_statfs"), ["DiskSpace", "SystemBootTime"]),
    ],
)
def test_functions_that_need_a_reason(imported: tuple[str, ...], categories: list[str]) -> None:
    rows = plistlib.loads(privacy_manifest(imported))["NSPrivacyAccessedAPITypes"]
    prefix = "NSPrivacyAccessedAPICategory"
    assert [row["NSPrivacyAccessedAPIType"] for row in rows] == [prefix + c for c in categories]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--name=lower", "'lower' is not the name of a Swift module, such as TensorFlowCarved"),
        ('--name=A", x: "', "is not the name of a Swift module"),
        ("--name=TensorFlowCore", "TensorFlowCore is the module of the C interface"),
        ("--identifier=one", "'one' is not a bundle identifier"),
        ("--version=1.0-beta", "'1.0-beta' is not a version of a framework"),
        ("--header=gone.h", "gone.h: no such file"),
        ("--source=gone.swift", "gone.swift: no such file"),
    ],
)
def test_refused_names(
    arguments: list[str], option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, option]) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_refused_libraries_and_folders(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (f"ios:arm64:13.0={tmp_path / SIMULATOR}.dylib", *arguments[4:])
    assert main(["swift-package", *words]) == 2
    assert "compiled for ios-simulator: pass clang a target for ios" in capsys.readouterr().err
    Path("out").mkdir()
    Path("out/notes.txt").write_text("mine", encoding="utf-8")
    assert main(arguments) == 2
    assert "out: exists and is not a Swift package" in capsys.readouterr().err
    # A package of the user's own stays as it is.
    Path("out/Package.swift").write_text("// swift-tools-version:5.7\n", encoding="utf-8")
    assert main(arguments) == 2
    assert "out: exists and is not a Swift package that tfcarve wrote" in capsys.readouterr().err
    assert Path("out/notes.txt").read_text(encoding="utf-8") == "mine"
