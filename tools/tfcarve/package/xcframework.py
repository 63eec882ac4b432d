"""Xcframeworks: folders with a library for devices and one for the simulator, for Xcode.

Formats: the output of `xcodebuild -create-xcframework`; Apple's "Creating a multiplatform binary framework bundle" and "Placing
content in a bundle".
"""

import plistlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.parsers.expat import ExpatError

from tfcarve.errors import InvalidInput
from tfcarve.objfile import universal
from tfcarve.objfile.macho_objects import MachObject, mach_objects

ARCHS = ("arm64", "x86_64")
_MAX_SHOWN = 5
# Identifies the Info.plist of an xcframework; apps have an Info.plist too.
_PACKAGE_TYPE = ("CFBundlePackageType", "XFWK")


@dataclass(frozen=True)
class Slice:
    """A static or a shared library for one CPU of devices or of the simulator.

    Attributes:
      platform: "ios" or "ios-simulator".
      arch: one of ARCHS.
      minimum_os: major and minor number of the minimum iOS version.
      archive: the library.
      where: its file, for messages.
    """

    platform: str
    arch: str
    minimum_os: tuple[int, int]
    archive: bytes
    where: str


def xcframework(
    name: str, slices: Iterable[Slice], headers: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Returns the files of an xcframework, by their path in its folder.

    Args:
      name: file name of the library, e.g. "libtensorflow-core.a".
      slices: one library for each CPU of each platform.
      headers: the files of each Headers folder, by their path in it.

    Raises:
      InvalidInput: there is no slice, two slices are for the same CPU and platform, or a slice has objects for another target.
    """
    files: dict[str, bytes] = {}
    rows = []
    for platform, archs in _by_platform(slices).items():
        row = _row(platform, archs, name, name) | {"HeadersPath": "Headers"}
        identifier = row["LibraryIdentifier"]
        files[f"{identifier}/{name}"] = library(archs)
        files |= {f"{identifier}/Headers/{path}": data for path, data in headers.items()}
        rows.append(row)
    return files | {"Info.plist": _plist(rows)}


def of_frameworks(
    name: str,
    slices: Iterable[Slice],
    content: Callable[[str, Mapping[str, Slice]], Mapping[str, bytes]],
) -> dict[str, bytes]:
    """Returns the files of an xcframework of frameworks, by their path in its folder.

    Args:
      name: of each framework and of its binary, e.g. "TensorFlowCore".
      slices: one shared library for each CPU of each platform.
      content: returns the files of a framework for a platform and its slices by their CPUs.

    Raises:
      InvalidInput: as xcframework.
    """
    files: dict[str, bytes] = {}
    rows = []
    for platform, archs in _by_platform(slices).items():
        row = _row(platform, archs, f"{name}.framework", f"{name}.framework/{name}")
        folder = f"{row['LibraryIdentifier']}/{name}.framework"
        files |= {f"{folder}/{path}": data for path, data in content(platform, archs).items()}
        rows.append(row)
    return files | {"Info.plist": _plist(rows)}


def _by_platform(slices: Iterable[Slice]) -> dict[str, dict[str, Slice]]:
    """The slices by platform and CPU; raises InvalidInput if they cannot be in one xcframework."""
    found: dict[str, dict[str, Slice]] = {}
    for each in slices:
        archs = found.setdefault(each.platform, {})
        if each.arch in archs:
            raise InvalidInput(
                f"{each.where}: a second library for {each.arch} of {each.platform}, after {archs[each.arch].where}"
            )
        check(each)
        archs[each.arch] = each
    if not found:
        raise InvalidInput("an xcframework requires at least one library")
    return dict(sorted(found.items()))


def _row(platform: str, archs: Mapping[str, Slice], path: str, binary: str) -> dict[str, Any]:
    """The description of a platform's library in the Info.plist."""
    os, _, variant = platform.partition("-")
    return {
        "BinaryPath": binary,
        "LibraryIdentifier": "-".join(filter(None, (os, "_".join(sorted(archs)), variant))),
        "LibraryPath": path,
        "SupportedArchitectures": sorted(archs),
        "SupportedPlatform": os,
    } | ({"SupportedPlatformVariant": variant} if variant else {})


def _plist(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return plistlib.dumps(
        {
            "AvailableLibraries": rows,
            _PACKAGE_TYPE[0]: _PACKAGE_TYPE[1],
            "XCFrameworkFormatVersion": "1.0",
        }
    )


def library(archs: Mapping[str, Slice]) -> bytes:
    """Returns a universal file of the slices; the library of a single slice stays as it is."""
    if len(archs) == 1:
        (only,) = archs.values()
        return only.archive
    return universal.pack({arch: each.archive for arch, each in archs.items()})


def is_xcframework_plist(info: bytes) -> bool:
    """Whether an Info.plist with this content belongs to an xcframework."""
    try:
        plist = plistlib.loads(info)
    except (ValueError, ExpatError):
        return False
    return isinstance(plist, dict) and _PACKAGE_TYPE in plist.items()


def check(each: Slice) -> None:
    """Checks that all objects of a slice are for its CPU, platform and minimum iOS version.

    Raises:
      InvalidInput: it has no objects, or objects for another target, which the message names.
    """
    objects = tuple(mach_objects(each.archive, each.where))
    if not objects:
        raise InvalidInput(f"{each.where}: contains no objects")
    wrong = [f"{one.name}: {why}" for one in objects if (why := _mismatch(one, each))]
    if wrong:
        more = len(wrong) - _MAX_SHOWN
        shown = wrong[:_MAX_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        raise InvalidInput(
            "\n  ".join([f"{each.where}: is not for {each.arch} of {each.platform}:", *shown])
        )


def _mismatch(one: MachObject, expected: Slice) -> str:
    if one.arch != expected.arch:
        bits = " (32 bits)" if one.arch in ("armv7", "i386") else ""
        return f"compiled for {one.arch}{bits}: compile it for {expected.arch}"
    if one.platform != expected.platform:
        found = one.platform or "an unknown platform"
        return f"compiled for {found}: pass clang a target for {expected.platform}"
    if one.minimum_os > expected.minimum_os:
        newer, older = (".".join(map(str, v)) for v in (one.minimum_os, expected.minimum_os))
        return f"requires iOS {newer}, but the slice's minimum is {older}: lower -mios-version-min"
    return ""
