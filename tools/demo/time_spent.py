"""What a build spent its time on, from Bazel's profile (https://bazel.build/advanced/performance/json-trace-profile). Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

DOWNLOAD, INDEX, COMPILE, LINK, OTHER = "download", "index", "compile", "link", "other"

_FETCH = "Fetching repository"
_ACTION = "action processing"
# By the mnemonic of the action.
_KINDS = {
    "CppArchive": LINK,
    "CppCompile": COMPILE,
    "CppLink": LINK,
    "TfArchive": LINK,
    "TfKernelIndex": INDEX,
    "TfLinkFacts": LINK,
    "TfPrecompiledHeader": COMPILE,
    "TfStrip": LINK,
}


def _kind(event: Mapping[str, Any]) -> str | None:
    if event.get("ph") != "X":
        return None
    if event.get("cat") == _FETCH:
        return DOWNLOAD
    if event.get("cat") == _ACTION:
        return _KINDS.get(event.get("args", {}).get("mnemonic", ""), OTHER)
    return None


def by_kind(events: Iterable[Mapping[str, Any]], seconds: float) -> dict[str, float]:
    """Divides the wall time of a build.

    Args:
        events: the trace events of the profile: what ran when, in microseconds.
        seconds: the wall time of the build. Time in which no action ran and nothing was fetched is OTHER.

    Returns:
        Seconds of each kind; their sum is `seconds`. A moment in which actions of several kinds ran is divided among them, in
        proportion to their number.
    """
    changes: list[tuple[float, int, str]] = []
    for event in events:
        kind = _kind(event)
        if kind and event["dur"] > 0:
            changes += [(event["ts"], 1, kind), (event["ts"] + event["dur"], -1, kind)]
    spent: dict[str, float] = defaultdict(float)
    running: Counter[str] = Counter()
    before = 0.0
    for moment, change, kind in sorted(changes):
        total = running.total()
        for name, number in running.items():
            if number:
                spent[name] += (moment - before) / 1e6 * number / total
        running[kind] += change
        before = moment
    spent[OTHER] += max(0.0, seconds - sum(spent.values()))
    return {kind: spent[kind] for kind in (DOWNLOAD, INDEX, COMPILE, LINK, OTHER)}
