"""docs/folders.md: what belongs in each folder, from a file of the folder itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePath

from docs.markdown import NOTE, cell, code, table

# Each of their subfolders has a row, too.
_SPLIT = {
    "benchmarks",
    "rules",
    "rules/private",
    "templates",
    "tests",
    "tests/e2e",
    "third_party/tensorflow",
    "tools",
    "tools/runtime",
    "tools/tfcarve",
    "tools/tfcarve/prepare",
}
# It has only a BUILD file.
_WITHOUT_ROW = {"tools"}
# The files that may describe a folder, the last one for docs/. The first one that exists does.
FILES = ("__init__.py", "BUILD", "README.md", "index.md")
# Neither text has a blank line; a blank line or the end of the comment or docstring ends the second one.
_TEXT = r"((?:(?!\n\n).)+?)"
_DESCRIPTION = re.compile(
    rf"^Here: {_TEXT}\.\n+Not here: {_TEXT}\.(?=\n\n|\n-->|\n\"\"\"|\n?\Z)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT_SIGN = re.compile(r"^# ?", re.MULTILINE)
_INTRODUCTION = """\
Each folder has one purpose. A file that fits in none of them needs a new folder. A folder states its purpose in the docstring of
its `__init__.py`, in the first comment of its `BUILD` file, or in its `README.md`: the lines `Here:` and `Not here:`.
"""


def described_folder(name: str) -> str:
    """Returns the folder with a row that a file belongs to; "" for a file of the root."""
    folders = [str(folder) for folder in PurePath(name).parents][:-1]
    with_row = (f for f in folders if "/" not in f or f.rpartition("/")[0] in _SPLIT)
    return next(with_row, "")


def description(root: Path, folder: str) -> tuple[str, str]:
    """Returns what belongs in a folder, and what does not.

    Raises:
        ValueError: the file that should say it does not have the two lines, or there is no such file.
    """
    for file in (root / folder / name for name in FILES):
        if file.exists():
            text = file.read_text(encoding="utf-8")
            if file.name == "BUILD":
                text = _COMMENT_SIGN.sub("", text)
            if found := _DESCRIPTION.search(text):
                return cell(found[1]), cell(found[2])
            break
    raise ValueError(
        f"{folder}: write the lines `Here: ….` and `Not here: ….` into the first of these files that it has, or into a "
        f"README.md: {', '.join(FILES)}"
    )


def markdown(root: Path, names: Iterable[str]) -> str:
    """Returns the page.

    Args:
        root: the source tree.
        names: the files of the repository, relative to root.

    Raises:
        ValueError: a folder is not described.
    """
    folders = {described_folder(name) for name in names} - {"", *_WITHOUT_ROW}
    rows = [[code(f"{folder}/"), *description(root, folder)] for folder in sorted(folders)]
    heading = "# Folders\n"
    return "\n".join([NOTE, heading, _INTRODUCTION, table(["Folder", "Here", "Not here"], rows)])
