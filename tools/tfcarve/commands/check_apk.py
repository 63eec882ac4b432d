"""`tfcarve check-apk`: whether devices load the native libraries of a finished Android package."""

import argparse
from pathlib import Path

from tfcarve.commands import common
from tfcarve.errors import CheckFailed
from tfcarve.package import apk

NAME = "check-apk"
HELP = "checks the native libraries of an APK, AAB or AAR: pages of 16 KB, ABIs, and what makes it larger than it must be"

_COLUMNS = ("abi", "library", "bytes", "page", "in the package", "stripped", "copies of")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "package", type=Path, metavar="FILE", help="an APK, AAB or AAR, of any origin"
    )
    parser.add_argument("--json", action="store_true", help="prints the table as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Prints a row for each library; raises CheckFailed if one does not meet Android's requirements."""
    found = apk.libraries(arguments.package)
    common.table([_row(one) for one in found], _COLUMNS, arguments.json)
    for note in apk.notes(found):
        common.warn(note)
    is_library = arguments.package.suffix.lower() == ".aar"
    wrong = list(apk.problems(found, is_library=is_library))
    if wrong:
        raise CheckFailed(f"{arguments.package}: devices or Google Play refuse it:", wrong)
    return 0


def _row(one: apk.Packed) -> dict[str, str]:
    if one.offset is None:
        place = "compressed"
    else:
        place = "aligned" if one.offset % apk.PAGE_SIZE == 0 else f"at byte {one.offset}"
    return {
        "abi": one.abi,
        "library": one.name,
        "bytes": f"{one.size:,}",
        "page": f"{one.library.alignment // 1024} KB",
        "in the package": place,
        "stripped": "yes" if one.library.is_stripped else "no",
        "copies of": ", ".join(one.copies) or "-",
    }
