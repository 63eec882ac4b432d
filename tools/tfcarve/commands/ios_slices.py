"""The arguments that name a library for one CPU of devices or of the simulator."""

import re
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.files import read_bytes
from tfcarve.package.xcframework import ARCHS, Slice

FORM = "PLATFORM:CPU:MINIMUM_OS=LIBRARY"
_SLICE = re.compile(r"(ios|ios-simulator):([a-z0-9_]+):(\d+)\.(\d+)=(.+)", re.DOTALL)


def read(text: str) -> Slice:
    """Reads the library that an argument of the form FORM names.

    Raises:
      InvalidInput: it has another form, or the file cannot be read.
    """
    parsed = _SLICE.fullmatch(text)
    if not parsed:
        raise InvalidInput(f"{text!r}: expected {FORM}, e.g. ios:arm64:13.0=lib.a")
    platform, arch, major, minor, path = parsed.groups()
    if arch not in ARCHS:
        raise InvalidInput(f"{text!r}: unknown CPU {arch}: expected one of {', '.join(ARCHS)}")
    return Slice(platform, arch, (int(major), int(minor)), read_bytes(Path(path)), path)
