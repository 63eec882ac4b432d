"""AARs: Android library packages of Java classes and shared libraries.

Format: Android's "Create an Android library", "Anatomy of an AAR file".
"""

import re
from collections.abc import Collection, Mapping

from tfcarve.errors import InvalidInput
from tfcarve.objfile import cpu
from tfcarve.objfile.shared_library import read_shared_library
from tfcarve.package import android_library
from tfcarve.package.java import Classes
from tfcarve.package.zip_file import zip_file

_PACKAGE = re.compile(r"[a-zA-Z]\w*(\.[a-zA-Z]\w*)+")
_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{package}">
    <uses-sdk android:minSdkVersion="{api_level}" />
</manifest>
"""

# Native methods are bound by the names of their classes, and they call methods by name: code shrinkers must keep the names.
_PROGUARD = """\
-keep class org.tensorflow.** { *; }
-keep class org.tfcarve.** { *; }
"""


def aar(
    *,
    package: str,
    api_level: int,
    classes: Classes,
    libraries: Mapping[str, bytes],
    file_name: str,
) -> bytes:
    """Returns an AAR.

    Args:
      package: Java package in its manifest, e.g. "org.example.tensorflow".
      api_level: the minimum API level of Android that the libraries were built for.
      classes: the Java classes.
      libraries: the shared library for each ABI ("arm64-v8a", …).
      file_name: name of each library, e.g. "libtensorflow_inference.so".

    Raises:
      InvalidInput: an ABI is unknown, there is no library, or libraries do not meet the requirements: lists all
        problems.
    """
    if not _PACKAGE.fullmatch(package):
        raise InvalidInput(
            f"{package!r} is not a qualified Java package name: expected e.g. org.example.app"
        )
    if not libraries:
        raise InvalidInput("an AAR requires a library for at least one ABI")
    wrong = []
    for abi, data in sorted(libraries.items()):
        where = f"jni/{abi}/{file_name}"
        if abi not in cpu.BY_ANDROID_ABI:
            raise InvalidInput(
                f"{abi!r} is not an ABI: expected one of {', '.join(sorted(cpu.BY_ANDROID_ABI))}"
            )
        library = read_shared_library(data, where)
        found = android_library.problems(library, abi, file_name, api_level)
        wrong += [
            f"{where}: {why}" for why in (*found, *_unbound(library.exported, classes.natives))
        ]
    if wrong:
        raise InvalidInput("\n  ".join(["libraries do not meet Android's requirements:", *wrong]))
    return zip_file(
        {
            "AndroidManifest.xml": _MANIFEST.format(package=package, api_level=api_level).encode(),
            "R.txt": b"",
            "classes.jar": classes.jar,
            "proguard.txt": _PROGUARD.encode(),
        }
        | {f"jni/{abi}/{file_name}": data for abi, data in libraries.items()}
    )


def _unbound(exported: Collection[str], natives: Collection[str]) -> list[str]:
    """Native methods that the library does not implement."""
    missing = sorted(set(natives).difference(exported))
    return [f"does not export the native method {name}: link its source" for name in missing]
