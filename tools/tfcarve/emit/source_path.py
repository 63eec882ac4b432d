"""Validates paths of sources, which are written into C++ sources, makefiles, BUILD files and file names."""

import re

from tfcarve.errors import InvalidInput

_PATH = re.compile(r"[A-Za-z0-9_./+@~=-]+\Z")


def checked(source: str) -> str:
    """Returns `source`; raises InvalidInput if it has unsafe characters or contains `..`."""
    if not _PATH.match(source) or ".." in source.split("/"):
        raise InvalidInput(
            f"{source!r} is not a valid source path: use letters, digits and ._+@~=/- only, without .."
        )
    return source
