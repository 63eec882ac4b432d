"""A Markdown comment for a pull request: how it changes the sizes."""

import re
from collections.abc import Mapping

from tfcarve.size.compare import Change, changes
from tfcarve.size.report import Measure, Report

_MAX_SHOWN = 12
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|@~-])")


def comment(old: Mapping[str, Report], new: Mapping[str, Report]) -> str:
    """Returns the comment: a table of platforms, then the causes of changes.

    The gzip size predicts the download size.

    Args:
      old: reports by platform before the change.
      new: reports by platform with the change.
    """
    lines = [
        "### Size of the TensorFlow library",
        "",
        "| platform | stripped | change | download (gzip) | change |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [_row(platform, old.get(platform), new[platform]) for platform in sorted(new)]
    lines += [f"| {_escaped(p)} | removed | | | |" for p in sorted(old.keys() - new.keys())]
    for platform in sorted(new.keys() & old.keys()):
        found = changes(old[platform], new[platform])
        if found:
            lines += ["", f"<details><summary>{_html(platform)}: what changed</summary>", ""]
            lines += ["| change | | bytes | needed by |", "|---|---|---:|---|"]
            lines += [_cause(change) for change in found[:_MAX_SHOWN]]
            if len(found) > _MAX_SHOWN:
                lines += ["", f"and {len(found) - _MAX_SHOWN} smaller changes"]
            lines += ["", "</details>"]
        else:
            lines += ["", f"{_escaped(platform)}: nothing changed."]
    return "\n".join(lines) + "\n"


def _row(platform: str, old: Report | None, new: Report) -> str:
    cells = [_escaped(platform)]
    measures: tuple[Measure, ...] = ("stripped", "gzip")
    for measure in measures:
        size = new.sizes[measure]
        before = old.sizes[measure] if old else None
        change = (
            f"{size - before:+,} ({(size - before) / max(before, 1):+.2%})"
            if before is not None
            else "new"
        )
        cells += [f"{size:,}", change]
    return f"| {' | '.join(cells)} |"


def _cause(change: Change) -> str:
    models = ", ".join(_escaped(m) for m in change.models)
    return (
        f"| {change.kind} {change.how} | {_escaped(change.name)} | {change.bytes:+,} | {models} |"
    )


def _escaped(text: str) -> str:
    """Names come from models, which are untrusted: they must not become Markdown."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
