"""docs/overrides.md: tfcarve's sources that replace TensorFlow's, from each release's release.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping

from docs.markdown import NOTE, cell, code, table

_INTRODUCTION = """\
An override is a source file of tfcarve that replaces TensorFlow's file of the same path. Overrides are in
`third_party/tensorflow/overrides`; the first lines of each file say what differs. Each row in `release.toml` has the
SHA-256 of the TensorFlow file that it replaces, so another release shows which overrides need a review. *Added kernels* replace no
file: TensorFlow defines their ops, but mobile builds have no kernels for them.

A test compares the results with full TensorFlow: the column *Test*. [benchmarks/OVERRIDES.md](../benchmarks/OVERRIDES.md) has the
bytes that each file saves in a library, and its compile time. [design.md](design.md#overrides) describes how overrides enter
the build, and [how to add one](how-to/override.md) lists the steps.
"""
_PARTS = {
    "core": ("Runtime", "core"),
    "kernels": ("Kernels", "kernels"),
    "added": ("Added kernels", "kernels"),
}


def _rows(overrides: list[dict[str, str]]) -> list[list[str]]:
    return [
        [code(override["path"]), cell(override["why"]), f"[{name}](../{override['test']})"]
        for override in overrides
        for name in [override["test"].rpartition("/")[2]]
    ]


def markdown(releases: Mapping[str, str]) -> str:
    """Returns the page.

    Args:
        releases: the text of release.toml of each release, by the release's name.
    """
    parts = [NOTE, "# Overrides\n", _INTRODUCTION]
    for release, text in releases.items():
        overrides = tomllib.loads(text)["overrides"]
        for key, (title, folder) in _PARTS.items():
            parts += [
                f"## {title}, TensorFlow {release}\n",
                f"Under `third_party/tensorflow/overrides/{folder}/`:\n",
                table(["File", "Why", "Test"], _rows(overrides[key])),
            ]
    return "\n".join(parts)
