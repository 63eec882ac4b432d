"""A pull request's comment in Markdown: what its change does to the sizes."""

import re
from collections.abc import Mapping

from tfcarve.size.compare import Change, changes
from tfcarve.size.report import Report

_SHOWN = 12
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|@~-])")


def comment(old: Mapping[str, Report], new: Mapping[str, Report]) -> str:
    """Returns the comment: a table by platform, then what caused the changes.

    The gzip size is what a download of the library is predicted to come to.

    Args:
      old: reports by platform, before the change.
      new: the same, with it.
    """
    lines = [
        "### Size of the TensorFlow library",
        "",
        "| platform | stripped | change | download (gzip) | change |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [_row(platform, old.get(platform), new[platform]) for platform in sorted(new)]
    lines += [f"| {_escaped(p)} | gone | | | |" for p in sorted(old.keys() - new.keys())]
    for platform in sorted(new.keys() & old.keys()):
        found = changes(old[platform], new[platform])
        if found:
            lines += ["", f"<details><summary>{_html(platform)}: what changed</summary>", ""]
            lines += ["| | | bytes | for |", "|---|---|---:|---|"]
            lines += [_cause(change) for change in found[:_SHOWN]]
            if len(found) > _SHOWN:
                lines += ["", f"and {len(found) - _SHOWN} smaller changes"]
            lines += ["", "</details>"]
        else:
            lines += ["", f"{_escaped(platform)}: nothing changed."]
    return "\n".join(lines) + "\n"


def _row(platform: str, old: Report | None, new: Report) -> str:
    cells = [_escaped(platform)]
    for measure in ("stripped", "gzip"):
        size = new.sizes[measure]
        cells.append(f"{size:,}")
        was = old.sizes[measure] if old else None
        cells.append(
            f"{size - was:+,} ({(size - was) / max(was, 1):+.2%})" if was is not None else "new"
        )
    return f"| {' | '.join(cells)} |"


def _cause(change: Change) -> str:
    models = ", ".join(_escaped(m) for m in change.models)
    return (
        f"| {change.kind} {change.how} | {_escaped(change.name)} | {change.bytes:+,} | {models} |"
    )


def _escaped(text: str) -> str:
    """Names come from models: they stay text in a table's cell."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
