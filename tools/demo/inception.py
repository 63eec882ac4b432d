"""Carves a library for Inception v3, and runs the model in it.

The library contains only the ops and kernels that the model uses. The demo builds it for this host and for Raspberry Pi (arm64).

The first run builds TensorFlow's core, which takes tens of minutes. Later runs use Bazel's cache.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from demo import cached_models, facts, library, nested, speed, time_spent
from demo.cached_models import CachedModel
from demo.facts import Measured, Selected
from demo.library import Library
from demo.nested import NestedError
from tfcarve.app.workspace import BuildError, Workspace

APP = Path("tests/e2e/bzlmod")
MODEL = "inception_v3"
PLATFORMS = ("linux_x86_64", "linux_arm64")
SELECTION = "//inception:selection"
RELEASE = "//inception:release"
_HOST = "linux_x86_64"
_STAGES = 7
_INDENT = " " * 20


class _RefusedError(Exception):
    """A library does not run the model; the message has the reason."""


class _Progress:
    """Prints the name of each stage when it starts and its result when it ends."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        self._stage = 0
        self._spent: dict[str, float] = {}

    @contextmanager
    def stage(
        self, name: str, activity: str, built_in: Workspace | None = None
    ) -> Iterator[list[str]]:
        """Runs a stage; prints the lines that the body appends to the list.

        If it builds something in a workspace, its time is divided by what Bazel did.
        """
        self._stage += 1
        head = f"[{self._stage}/{_STAGES}] {name:<13}"
        if self._terminal:
            print(f"{head} {activity} ...", flush=True)
        start = time.monotonic()
        lines: list[str] = []
        yield lines
        seconds = time.monotonic() - start
        spent = {name: seconds}
        if built_in:
            spent = time_spent.by_kind(built_in.trace_events(), seconds)
        for kind, part in spent.items():
            self._spent[kind] = self._spent.get(kind, 0.0) + part
        print(f"{head} {lines[0]}; {facts.clock(seconds)}", flush=True)
        for line in lines[1:]:
            print(line, flush=True)

    def spent(self) -> dict[str, float]:
        """Returns the seconds of the stages that built nothing, and of what the others did."""
        return dict(self._spent)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument(
        "--platform",
        action="append",
        choices=PLATFORMS,
        dest="platforms",
        help="builds for this platform only; may be repeated",
    )
    return parser


def _seconds_of_this_process() -> float:
    """Returns how long ago it started: bazelw, which Bazel and then this program replaced in their process."""
    fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    started = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # starttime, proc_pid_stat(5)
    return time.clock_gettime(time.CLOCK_BOOTTIME) - started


def _select(workspace: Workspace, progress: bool) -> Selected:
    build = workspace.build([SELECTION], progress=progress)
    selection = build.named(SELECTION)["selection.json"]
    return Selected.of(json.loads(selection.read_text(encoding="utf-8")))


def _run(built: Library, model: CachedModel) -> tuple[float, bool]:
    """Returns the largest difference from full TensorFlow's output, and whether the output was cached.

    Raises:
        _RefusedError: the library does not run the model.
    """
    answer, cached = library.run_once(built, model)
    if answer.output is None:
        raise _RefusedError(f"{built.platform}: the library refuses the model: {answer.message}")
    return library.largest_difference(answer.output, np.load(model.output)), cached


def _measure(built: Library, difference: float) -> Measured:
    return Measured(
        platform=built.platform,
        stripped=built.shared.stat().st_size,
        gzip=library.gzip_size(built.shared),
        difference=difference,
    )


def _shown(workspace: Workspace, folder: Path) -> str:
    """Returns the path of a folder of outputs through the workspace's bazel-bin, which is shorter."""
    _, found, inside = str(folder).partition("/bin/")
    short = workspace.folder / "bazel-bin" / inside
    return str(short if found and short.exists() else folder).replace(str(Path.home()), "~", 1)


def _demo(platforms: Sequence[str]) -> int:
    progress = sys.stderr.isatty()
    stages = _Progress()
    before = _seconds_of_this_process()
    with nested.opened(nested.source_tree() / APP, "app") as workspace:
        with stages.stage(
            "model", "generating Inception v3 and running it in full TensorFlow"
        ) as lines:
            model = cached_models.load(MODEL)
            workspace.place("inception", {f"{MODEL}.pb": model.model}, "*.pb")
            size = model.model.stat().st_size / 1e6
            lines.append(f"{MODEL}.pb, {size:.1f} MB{', cached by an earlier run' * model.cached}")
        with stages.stage(
            "selection", "selecting the ops and kernels that it needs", workspace
        ) as lines:
            selected = _select(workspace, progress)
            lines += [selected.text(), facts.wrapped(selected.ops, _INDENT)]
        built = []
        for platform in PLATFORMS:
            if platform not in platforms:
                continue
            with stages.stage(platform, "building the library", workspace) as lines:
                built.append(library.build(workspace, RELEASE, platform, progress=progress))
                lines.append(f"{built[-1].shared.name}, {built[-1].static.name}")
                lines.append(f"{_INDENT}{_shown(workspace, built[-1].shared.parent)}")
        with stages.stage("run", "running the model in each library") as lines:
            ran = [_run(one, model) for one in built]
            cached = ", cached by an earlier run" * all(cached for _, cached in ran)
            lines.append(f"in {len(ran)} libraries, compared with full TensorFlow{cached}")
        with stages.stage("sizes", "measuring") as lines:
            measured = [_measure(one, run[0]) for one, run in zip(built, ran, strict=True)]
            lines.append("of the stripped shared library, in bytes")
            lines.append("\n" + facts.table(measured) + "\n")
        hosts = [one for one in built if one.platform == _HOST]
        with stages.stage("speed", "timing one inference here and in full TensorFlow") as lines:
            result = "measured on linux_x86_64 only"
            if hosts:
                result = f"of one inference on one thread: {speed.measured(hosts[0], model).text()}"
            lines.append(result)
        print(f"\nTime: {facts.times(before, stages.spent())}")
        wrong = [one.platform for one in measured if not one.agrees]
        if wrong:
            print(
                f"demo: {', '.join(wrong)}: the output differs from full TensorFlow's by more "
                f"than {facts.TOLERANCE}",
                file=sys.stderr,
            )
        return 1 if wrong else 0


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 if a library's output is wrong; 2 if it can't be built."""
    arguments = _parser().parse_args(argv)
    try:
        return _demo(arguments.platforms or PLATFORMS)
    except (_RefusedError, BuildError, NestedError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1 if isinstance(error, _RefusedError) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
