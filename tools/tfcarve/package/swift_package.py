"""Swift packages: a carved library as an xcframework of frameworks, and Swift sources that call it. Pure.

Formats: SwiftPM's PackageDescription; Apple's "Placing content in a bundle"; Clang's "Modules".
"""

from __future__ import annotations

import plistlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tfcarve.emit import templates
from tfcarve.errors import InvalidInput
from tfcarve.objfile.macho_objects import imported_symbols
from tfcarve.package import xcframework
from tfcarve.package.privacy_manifest import privacy_manifest
from tfcarve.package.xcframework import Slice

# The module of the C interface, which the Swift sources import.
FRAMEWORK = "TensorFlowCore"
_HEADER = "tfcarve_c_api.h"
_PRIVACY = "PrivacyInfo.xcprivacy"
_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_IDENTIFIER = re.compile(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_VERSION = re.compile(r"\d+(?:\.\d+){0,2}")
_PLATFORMS = {"ios": "iPhoneOS", "ios-simulator": "iPhoneSimulator"}
_MODULE_MAP = f"""\
framework module {FRAMEWORK} {{
  header "{_HEADER}"
  export *
}}
"""


# The second line of a manifest: the folders of other packages are never replaced.
_MADE_BY = "// Made by tfcarve."


def is_ours(manifest: bytes) -> bool:
    """Returns whether tfcarve wrote a Package.swift with this content."""
    return manifest.splitlines()[1:2] == [_MADE_BY.encode()]


@dataclass(frozen=True)
class SwiftPackage:
    """What a package is made of.

    Attributes:
      name: of the package and of its Swift module, e.g. "TensorFlowCarved".
      identifier: the bundle identifier of the framework, e.g. "org.example.TensorFlowCore".
      version: of the framework.
      slices: one shared library for each CPU of each platform.
      header: the header of the C interface.
      sources: the Swift sources, by file name.
    """

    name: str
    identifier: str
    version: str
    slices: Sequence[Slice]
    header: bytes
    sources: Mapping[str, str]

    @property
    def minimum_os(self) -> str:
        """The minimum iOS version of devices; simulators of newer CPUs do not have older versions."""
        devices = [each for each in self.slices if each.platform == "ios"]
        return ".".join(map(str, max(each.minimum_os for each in devices or self.slices)))


def files(package: SwiftPackage) -> dict[str, bytes]:
    """Returns the files of a package, by their path in its folder.

    Raises:
      InvalidInput: a name is invalid, or a library is not for its slice: see xcframework.
    """
    for what, pattern, text in (
        ("the name of a Swift module, such as TensorFlowCarved", _NAME, package.name),
        (
            "a bundle identifier, such as org.example.TensorFlowCore",
            _IDENTIFIER,
            package.identifier,
        ),
        ("a version of a framework, such as 1.2", _VERSION, package.version),
    ):
        if not pattern.fullmatch(text):
            raise InvalidInput(f"{text!r} is not {what}")
    if package.name == FRAMEWORK:
        raise InvalidInput(f"{FRAMEWORK} is the module of the C interface: pass another name")

    def framework(platform: str, archs: Mapping[str, Slice]) -> dict[str, bytes]:
        imported = {
            symbol
            for each in archs.values()
            for symbol in imported_symbols(each.archive, each.where)
        }
        return {
            FRAMEWORK: xcframework.library(archs),
            f"Headers/{_HEADER}": package.header,
            "Info.plist": _info(package, platform, archs),
            "Modules/module.modulemap": _MODULE_MAP.encode(),
            _PRIVACY: privacy_manifest(imported),
        }

    inside = xcframework.of_frameworks(FRAMEWORK, package.slices, framework)
    return {
        "Package.swift": manifest(package),
        **{f"{FRAMEWORK}.xcframework/{path}": data for path, data in inside.items()},
        **{
            f"Sources/{package.name}/{name}": text.encode()
            for name, text in package.sources.items()
        },
    }


def manifest(package: SwiftPackage) -> bytes:
    """Returns the Package.swift of a package."""
    return templates.fill(
        "swift/Package.swift.j2", package=package, framework=FRAMEWORK, made_by=_MADE_BY
    )


def _info(package: SwiftPackage, platform: str, archs: Mapping[str, Slice]) -> bytes:
    oldest = max(each.minimum_os for each in archs.values())
    return plistlib.dumps(
        {
            "CFBundleDevelopmentRegion": "en",
            "CFBundleExecutable": FRAMEWORK,
            "CFBundleIdentifier": package.identifier,
            "CFBundleInfoDictionaryVersion": "6.0",
            "CFBundleName": FRAMEWORK,
            "CFBundlePackageType": "FMWK",
            "CFBundleShortVersionString": package.version,
            "CFBundleSupportedPlatforms": [_PLATFORMS[platform]],
            "CFBundleVersion": package.version,
            "MinimumOSVersion": ".".join(map(str, oldest)),
        }
    )
