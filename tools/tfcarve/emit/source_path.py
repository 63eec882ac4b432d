"""What a source may be called: its path goes into C++ text, lists, BUILD files and names of files."""

import re

from tfcarve.errors import InvalidInput

_PATH = re.compile(r"[A-Za-z0-9_./+@~=-]+\Z")


def fit(source: str) -> str:
    """Returns `source`; raises InvalidInput where it has characters that no source of TensorFlow has, or leads out."""
    if not _PATH.match(source) or ".." in source.split("/"):
        raise InvalidInput(
            f"{source!r}: no path of a source: letters, digits and ._+@~=/- only, without .."
        )
    return source
