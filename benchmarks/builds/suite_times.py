"""How long the README's two commands take with empty caches, and each test.

    PYTHONPATH=tools:tests:. python -m benchmarks.builds.suite_times FOLDER -o benchmarks/results/TEST_TIMES.md

Run it in the repository's folder, on an idle machine, with the Python environment of the tests. It clones the repository to a new
folder and runs the commands there, with another home directory. With --full, it also runs the tests that run by name.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import measure, page
from platforms import suite
from tfcarve import files

_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.builds.suite_times FOLDER -o benchmarks/results/TEST_TIMES.md"
# Targets that take fewer seconds have no row.
_SHORT = 1.0
# A target that takes more seconds has a reason in tests/suite.bzl.
_LONG = 90.0
_NESTED_BUILD = "TfNestedBuild"


@dataclass(frozen=True)
class Ran:
    """A command that ran.

    Attributes:
      command: as in the README.
      seconds: its wall time.
      cache_bytes: the size of the user's cache folder after it.
      targets: wall seconds of each test, and of the nested build that many tests share, by label.
      failed: the tests that failed.
      last_line: of its output; that of the demo has the time of each kind of work.
    """

    command: str
    seconds: float
    cache_bytes: int
    targets: Mapping[str, float]
    failed: tuple[str, ...] = ()
    last_line: str = ""


def tests(events: Iterable[str]) -> tuple[dict[str, float], tuple[str, ...]]:
    """Returns the wall seconds of each test in a build event file, and the labels of those that failed."""
    seconds: dict[str, float] = {}
    failed: list[str] = []
    for line in events:
        event = json.loads(line)
        if "testResult" in event.get("id", {}) and "testResult" in event:
            label, result = event["id"]["testResult"]["label"], event["testResult"]
            duration = float(result.get("testAttemptDuration", "0s").rstrip("s"))
            seconds[label] = seconds.get(label, 0.0) + duration
            if result["status"] != "PASSED":
                failed.append(label)
    return seconds, tuple(sorted(set(failed)))


def nested_builds(profile: Mapping[str, Any]) -> dict[str, float]:
    """Returns the wall seconds of the nested builds in Bazel's profile, by label."""
    return {
        event["args"]["target"]: event["dur"] / 1e6
        for event in profile["traceEvents"]
        # The action itself, not its phases.
        if event.get("args", {}).get("mnemonic") == _NESTED_BUILD and "target" in event["args"]
    }


def without_reason(ran: Iterable[Ran], reasons: Mapping[str, str]) -> list[str]:
    """Returns the labels of the targets that take long for no reason."""
    return sorted(
        label
        for one in ran
        for label, seconds in one.targets.items()
        if seconds > _LONG and label not in reasons
    )


def tables(ran: Sequence[Ran], reasons: Mapping[str, str]) -> list[str]:
    """Returns the text of the page below its head.

    Args:
      ran: the commands.
      reasons: why targets take long, by label.
    """
    summary = [
        [f"`{one.command}`", measure.seconds(one.seconds), f"{one.cache_bytes / 1e9:.1f} GB"]
        for one in ran
    ]
    lines = [measure.markdown(["Command", "Time", "Cache folder afterwards"], summary), ""]
    for one in ran:
        if not one.targets:
            lines += [f"## `{one.command}`", "", one.last_line, ""]
        else:
            rows = [
                [
                    f"`{label.removeprefix('//')}`",
                    measure.seconds(seconds),
                    reasons.get(label, "") if seconds > _LONG else "",
                ]
                for label, seconds in sorted(one.targets.items(), key=lambda row: -row[1])
                if seconds >= _SHORT
            ]
            head = ["Target", "Time", f"Why more than {_LONG:.0f} s"]
            lines += [f"## `{one.command}`", "", measure.markdown(head, rows), ""]
            lines += [
                f"Targets that took less than a second each: {len(one.targets) - len(rows)}.",
                "",
            ]
    return lines


def _run(command: str, tree: Path, home: Path) -> Ran:
    """Runs a command of the README in a clone, as a user with this home directory."""
    inherited = ("PATH", "LANG", "TERM", "TFCARVE_DISTDIR")
    environment = {name: os.environ[name] for name in inherited if name in os.environ}
    events, profile = home / "events.json", home / "profile.gz"
    words = command.split()
    if words[1] == "test":
        words[2:2] = [
            f"--build_event_json_file={events}",
            f"--profile={profile}",
            "--experimental_profile_include_target_label",
        ]
    start = time.monotonic()
    status, last_line = _shown(words, tree, {**environment, "HOME": str(home)})
    seconds = time.monotonic() - start
    cache = _size(home / ".cache")
    if words[1] != "test":
        if status:
            raise SystemExit(f"suite_times: {command}: exit status {status}")
        return Ran(command, seconds, cache, {}, last_line=last_line)
    with events.open(encoding="utf-8") as lines:
        targets, failed = tests(lines)
    with gzip.open(profile) as stream:
        targets.update(nested_builds(json.load(stream)))
    return Ran(command, seconds, cache, targets, failed)


def _shown(words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> tuple[int, str]:
    """Runs a command, prints its standard output as it comes, and returns its status and its last line."""
    last = ""
    with subprocess.Popen(
        words, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return process.returncode, last


def _size(folder: Path) -> int:
    """The bytes on disk of a folder; a file with several links counts once."""
    done = subprocess.run(
        ["du", "-s", "--block-size=1", folder], check=True, text=True, capture_output=True
    )
    return int(done.stdout.split()[0])


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 1 if a test fails, or takes long for no reason."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.builds.suite_times", description=__doc__
    )
    parser.add_argument("folder", type=Path, help="does not exist yet; the clone and the caches")
    parser.add_argument("--full", action="store_true", help="also the tests that run by name")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    tree, home = arguments.folder / "tfcarve", arguments.folder / "home"
    home.mkdir(parents=True)
    subprocess.run(["git", "clone", "--quiet", ".", str(tree)], check=True)
    commands = ["./bazelw run //:demo", "./bazelw test //..."]
    commands += ["./bazelw test //tests:full"] if arguments.full else []
    ran = [_run(command, tree, home) for command in commands]
    reasons = suite.why_long(Path.cwd())
    text = [
        page.head("Times of the demo and of the tests", _COMMAND, measure.machine()),
        "The commands ran one after the other in a fresh clone, with empty caches. Times are wall times; tests run two at a time, "
        "next to the nested build of the libraries that they share.\n",
        *tables(ran, reasons),
    ]
    files.write_if_changed(arguments.output, "\n".join(text).encode())
    failed = [label for one in ran for label in one.failed]
    for label in failed:
        print(f"suite_times: {label} failed", file=sys.stderr)
    unexplained = without_reason(ran, reasons)
    for label in unexplained:
        print(
            f"suite_times: {label} takes more than {_LONG:.0f} s: add the reason to LONG in tests/suite.bzl",
            file=sys.stderr,
        )
    return 1 if failed or unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
