"""Privacy manifests, which Apple asks of each library in an app: PrivacyInfo.xcprivacy. Pure.

Sources: Apple's "Privacy manifest files" and "Describing use of required reason API".
"""

from __future__ import annotations

import plistlib
from collections.abc import Collection, Iterable

_PREFIX = "NSPrivacyAccessedAPICategory"
# Functions whose use needs a reason, and the reason of a library that reads files of its app and measures its own times.
_CATEGORIES = {
    "DiskSpace": ("E174.1", ("fstatfs", "fstatvfs", "statfs", "statvfs")),
    "FileTimestamp": (
        "C617.1",
        (
            *("fgetattrlist", "fstat", "fstatat", "getattrlist", "getattrlistat"),
            *("getattrlistbulk", "lstat", "stat"),
        ),
    ),
    "SystemBootTime": ("35F9.1", ("mach_absolute_time",)),
}


def privacy_manifest(imported: Collection[str]) -> bytes:
    """Returns the manifest of a library that collects no data.

    Args:
      imported: the symbols that it imports, as in its symbol table: "_fstat", "_fstat$INODE64".
    """
    return plistlib.dumps(
        {
            "NSPrivacyTracking": False,
            "NSPrivacyTrackingDomains": [],
            "NSPrivacyCollectedDataTypes": [],
            "NSPrivacyAccessedAPITypes": [
                {
                    "NSPrivacyAccessedAPIType": _PREFIX + category,
                    "NSPrivacyAccessedAPITypeReasons": [reason],
                }
                for category, (reason, functions) in _CATEGORIES.items()
                if not _functions(imported).isdisjoint(functions)
            ],
        }
    )


def _functions(symbols: Iterable[str]) -> set[str]:
    return {symbol.removeprefix("_").partition("$")[0] for symbol in symbols}
