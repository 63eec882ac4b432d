"""docs/folders.md: every folder says what belongs there."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import folders_page
from docs.tree import ROOT, tracked


def test_the_page_has_each_folder() -> None:
    text = folders_page.markdown(ROOT, tracked())
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert all(len(line.split(" | ")) == 3 and line.count("`") % 2 == 0 for line in rows)
    assert (
        "| `tests/lint/` | formatters and checkers on all files | checks of what pages say" in text
    )


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("README.md", ""),
        ("docs/how-to/bazel.md", "docs"),
        ("tools/runtime/BUILD", "tools/runtime"),
        ("tools/runtime/api/log.cc", "tools/runtime/api"),
        ("tools/runtime/math/a/b.h", "tools/runtime/math"),
        ("third_party/zlib/BUILD", "third_party"),
        ("third_party/tensorflow/releases/2.14/BUILD", "third_party/tensorflow/releases"),
    ],
)
def test_the_folder_of_a_file(name: str, folder: str) -> None:
    assert folders_page.described_folder(name) == folder


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("__init__.py", '"""A.\n\nHere: b c.\nNot here: d.\n"""\nimport e\n'),
        ("__init__.py", '"""A.\n\nHere: b\nc.\nNot here: d.\n\nMore.\n"""\n'),
        ("BUILD", "# Here: b\n# c.\n# Not here: d.\n\nload()\n"),
        ("BUILD", "# Here: b c.\n# Not here: d.\n"),
        ("README.md", "# A\n\nHere: b\nc.\n\nNot here: d.\n"),
        ("index.md", "<!--\nHere: b c.\nNot here: d.\n-->\n\n# A\n"),
    ],
)
def test_descriptions(file: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / file).write_text(text, encoding="utf-8")
    assert folders_page.description(tmp_path, "a") == ("b c", "d")


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {"BUILD": "# A.\n"},
        {"BUILD": "# Here: a.\n"},
        {"BUILD": "# Here: .\n# Not here: b.\n"},
        {"BUILD": "# Here: a.\n# Not here: b.\nload()\n\n# C.\n"},
        # The README is not read: the package has another file that describes it.
        {"__init__.py": "", "README.md": "Here: a.\nNot here: b.\n"},
    ],
)
def test_a_folder_without_a_description(texts: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for file, text in texts.items():
        (tmp_path / "a" / file).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"^a: write the lines `Here: ….` and `Not here: ….`"):
        folders_page.markdown(tmp_path, ["a/b.py"])
