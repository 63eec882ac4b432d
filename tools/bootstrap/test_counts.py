"""Counts passed and failed test targets in Bazel's build event file (JSON lines)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """Test targets by result; `failed` has each one that was to run and did not pass."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]

    def line(self) -> str:
        """The last line of a CI run."""
        return f"{len(self.passed)} passed, {len(self.failed)} failed"


def count(events: Iterable[str]) -> Counts:
    """Reads the events.

    A test without a summary, because its build failed or the run was interrupted, counts as
    failed. So does a target whose analysis failed.

    Args:
        events: lines of the file; an incomplete last line is skipped.
    """
    wanted: set[str] = set()
    outcome: dict[str, str] = {}
    broken: set[str] = set()
    for line in events:
        try:
            event = json.loads(line)
        except ValueError:
            continue
        identity = event.get("id", {})
        if "targetConfigured" in identity:
            label = identity["targetConfigured"]["label"]
            if "aborted" in event:
                if event["aborted"].get("reason") != "SKIPPED":
                    broken.add(label)
            elif "testSize" in event.get("configured", {}):
                wanted.add(label)
        elif "testSummary" in identity:
            status = event.get("testSummary", {}).get("overallStatus", "NO_STATUS")
            outcome[identity["testSummary"]["label"]] = status
        elif "targetCompleted" in identity and event.get("aborted", {}).get("reason") == "SKIPPED":
            wanted.discard(identity["targetCompleted"]["label"])
    passed = {label for label, status in outcome.items() if status in ("PASSED", "FLAKY")}
    return Counts(tuple(sorted(passed)), tuple(sorted(((wanted | set(outcome)) - passed) | broken)))


def main(argv: Sequence[str]) -> int:
    """Prints the failed targets and the last line. Exit status 1 if any failed or none ran."""
    path = Path(argv[0])
    counts = count(path.read_text().splitlines() if path.exists() else [])
    for label in counts.failed:
        print(f"failed: {label}")
    print(counts.line())
    return 1 if counts.failed or not counts.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
