"""An AAR: what an Android app's build takes classes and shared libraries from.

Its form is described by Android's "Create an Android library", "Anatomy of an AAR file".
"""

import re
from collections.abc import Collection, Mapping

from tfcarve.errors import InvalidInput
from tfcarve.package import android_library
from tfcarve.package.archive_file import zip_file
from tfcarve.package.java import Classes

_PACKAGE = re.compile(r"[a-zA-Z]\w*(\.[a-zA-Z]\w*)+")
_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{package}">
    <uses-sdk android:minSdkVersion="{api_level}" />
</manifest>
"""

# Native methods are found by their class's name: whoever shrinks the app must leave these.
_PROGUARD = """\
-keep class org.tensorflow.** { *; }
"""


def aar(
    *,
    package: str,
    api_level: int,
    classes: Classes,
    libraries: Mapping[str, bytes],
    file_name: str,
    without: Collection[str] = (),
) -> bytes:
    """Makes an AAR.

    Args:
      package: Java package of the library's manifest, e.g. "org.example.tensorflow".
      api_level: the lowest API level of Android that the libraries were built for.
      classes: the Java classes.
      libraries: by ABI ("arm64-v8a", …) the shared library.
      file_name: of each library, e.g. "libtensorflow_inference.so".
      without: classes, e.g. "org.tensorflow.EagerSession", that the libraries have no functions for.
        Whoever uses these gets Java's UnsatisfiedLinkError.

    Raises:
      InvalidInput: an unknown ABI, no library, or libraries that are not fit: all that is wrong with them.
    """
    if not _PACKAGE.fullmatch(package):
        raise InvalidInput(
            f"{package!r}: no Java package: write it with dots, e.g. org.example.app"
        )
    if not libraries:
        raise InvalidInput("an AAR holds a library for at least one ABI")
    left_out = tuple(f"Java_{name.replace('.', '_')}_" for name in without)
    natives = {name for name in classes.natives if not name.startswith(left_out)}
    wrong = []
    for abi, data in sorted(libraries.items()):
        where = f"jni/{abi}/{file_name}"
        if abi not in android_library.ABIS:
            raise InvalidInput(
                f"{abi}: no ABI; there are: {', '.join(sorted(android_library.ABIS))}"
            )
        library = android_library.read(data, where)
        found = android_library.problems(library, abi, file_name, api_level)
        wrong += [f"{where}: {why}" for why in (*found, *_unbound(library.exported, natives))]
    if wrong:
        raise InvalidInput("\n  ".join(["the libraries are not fit for Android:", *wrong]))
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
    """Native methods that the library has no function for."""
    missing = sorted(set(natives).difference(exported))
    return [f"no function for the native method {name}: link its source in" for name in missing]
