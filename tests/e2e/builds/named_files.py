"""The files that the link fragments of a release folder name."""

from __future__ import annotations

import re
from pathlib import Path

from tfcarve.emit.link_facts import FRAGMENTS

# A library by its file name, and a folder with headers. Fragments name system libraries otherwise, such as -lm.
_NAMED = re.compile(r"\blib[\w+-]+\.(?:a|so)\b|(?<=/)include\w*")


def missing(folder: Path) -> list[str]:
    """Returns "FRAGMENT: FILE" for each file that a fragment in a folder names and that is not in the folder."""
    fragments = [folder / name for name in sorted(FRAGMENTS) if (folder / name).is_file()]
    return [
        f"{fragment.name}: {name}"
        for fragment in fragments
        for name in sorted(set(_NAMED.findall(fragment.read_text(encoding="utf-8"))))
        if not (folder / name).exists()
    ]
