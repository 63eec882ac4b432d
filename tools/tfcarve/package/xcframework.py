"""An xcframework of a static library: a folder that Xcode takes the part for a device or a simulator from.

Apple documents its form by what `xcodebuild -create-xcframework` writes and in "Creating a multiplatform
binary framework bundle"; universal files in mach-o/fat.h.
"""

import plistlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.parsers.expat import ExpatError

from tfcarve.errors import InvalidInput
from tfcarve.package.objects import CPU_TYPES, MachObject, mach_objects
from tfcarve.universal import MAGIC

# Archives of 64-bit objects start at 8 bytes, as lipo places them.
_ALIGNMENT_BITS = 3
_MOST_SHOWN = 5
# What Info.plist calls an xcframework; an app has such a file too.
_PACKAGE = ("CFBundlePackageType", "XFWK")


@dataclass(frozen=True)
class Slice:
    """A static library for one CPU of devices or of the simulator.

    Attributes:
      platform: "ios" or "ios-simulator".
      arch: "arm64" or "x86_64".
      minimum_os: major and minor number of the oldest iOS that it must run on.
      archive: the library.
      where: its file, for messages.
    """

    platform: str
    arch: str
    minimum_os: tuple[int, int]
    archive: bytes
    where: str


def universal(slices: Sequence[Slice]) -> bytes:
    """Returns the libraries as one file: the only one itself, or a universal file, as `lipo -create` makes it."""
    if len(slices) == 1:
        return slices[0].archive
    header = MAGIC + struct.pack(">I", len(slices))
    body = b""
    at = len(header) + 20 * len(slices)
    for each in sorted(slices, key=lambda s: CPU_TYPES[s.arch]):
        start = -(-at // (1 << _ALIGNMENT_BITS)) << _ALIGNMENT_BITS
        header += struct.pack(
            ">5I", *CPU_TYPES[each.arch], start, len(each.archive), _ALIGNMENT_BITS
        )
        body += bytes(start - at) + each.archive
        at = start + len(each.archive)
    return header + body


def xcframework(
    name: str, slices: Iterable[Slice], headers: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Makes an xcframework.

    Args:
      name: of the library's file, e.g. "libtensorflow-core.a".
      slices: one library for each CPU of each platform.
      headers: the files of its folder Headers, by their path in it.

    Returns:
      The files of the folder NAME.xcframework, by their path in it.

    Raises:
      InvalidInput: no slice, two for the same, or objects in one that are for something else.
    """
    by_platform: dict[str, dict[str, Slice]] = {}
    for each in slices:
        archs = by_platform.setdefault(each.platform, {})
        if each.arch in archs:
            raise InvalidInput(
                f"{each.where}: a second library for {each.arch} of {each.platform}, beside {archs[each.arch].where}"
            )
        check(each)
        archs[each.arch] = each
    if not by_platform:
        raise InvalidInput("an xcframework holds at least one library")
    files, libraries = {}, []
    for platform, archs in sorted(by_platform.items()):
        os, _, variant = platform.partition("-")
        identifier = "-".join(filter(None, (os, "_".join(sorted(archs)), variant)))
        files[f"{identifier}/{name}"] = universal(tuple(archs.values()))
        files |= {f"{identifier}/Headers/{path}": data for path, data in headers.items()}
        libraries.append(
            {
                "BinaryPath": name,
                "HeadersPath": "Headers",
                "LibraryIdentifier": identifier,
                "LibraryPath": name,
                "SupportedArchitectures": sorted(archs),
                "SupportedPlatform": os,
            }
            | ({"SupportedPlatformVariant": variant} if variant else {})
        )
    files["Info.plist"] = plistlib.dumps(
        {
            "AvailableLibraries": libraries,
            _PACKAGE[0]: _PACKAGE[1],
            "XCFrameworkFormatVersion": "1.0",
        }
    )
    return files


def describes_one(info: bytes) -> bool:
    """Says whether an Info.plist is that of an xcframework."""
    try:
        told = plistlib.loads(info)
    except (ValueError, ExpatError):
        return False
    return isinstance(told, dict) and _PACKAGE in told.items()


def check(each: Slice) -> None:
    """Makes sure that a library is what it is said to be.

    Raises:
      InvalidInput: it has no objects, or objects of another CPU or platform or for a newer iOS: names them.
    """
    objects = tuple(mach_objects(each.archive, each.where))
    if not objects:
        raise InvalidInput(f"{each.where}: holds no objects")
    wrong = [f"{one.name}: {why}" for one in objects if (why := _misfit(one, each))]
    if wrong:
        more = len(wrong) - _MOST_SHOWN
        shown = wrong[:_MOST_SHOWN] + ([f"and {more} more"] if more > 0 else [])
        raise InvalidInput(
            "\n  ".join([f"{each.where}: does not fit {each.arch} of {each.platform}:", *shown])
        )


def _misfit(one: MachObject, wanted: Slice) -> str:
    if one.arch != wanted.arch:
        bits = " (32 bits)" if one.arch in ("armv7", "i386") else ""
        return f"compiled for {one.arch}{bits}; compile it for {wanted.arch}"
    if one.platform != wanted.platform:
        found = one.platform or "no platform that it tells"
        return f"compiled for {found}; give clang a target for {wanted.platform}"
    if one.minimum_os > wanted.minimum_os:
        newer, older = (".".join(map(str, v)) for v in (one.minimum_os, wanted.minimum_os))
        return f"needs iOS {newer}, the slice is for {older} and newer; lower -mios-version-min"
    return ""
