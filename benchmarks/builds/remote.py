"""How long a build of a library takes on numbers of remote workers, and how much it sends and receives.

    PYTHONPATH=tools:tests:. python -m benchmarks.builds.remote -o benchmarks/results/REMOTE.md

Run it in the repository's folder, with the Python environment of the tests. It compiles TensorFlow's runtime once here and once
for each number of workers. From the times of the actions here, it computes those of more workers than this machine can run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page, selections, workspaces
from benchmarks.builds import schedule
from benchmarks.builds.schedule import Action
from benchmarks.size import sizes
from demo.nested import NestedError
from remote import counting_proxy, executor, fresh_workspace
from tfcarve import files
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.errors import TfcarveError
from tfcarve.selection.selection import Selection

WORKERS = (1, 2, 4)
COMPUTED = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_MODEL = "inception_v3"
_TARGET = f"//{sizes.PACKAGE}:linux_x86_64"
_COMMAND = (
    "PYTHONPATH=tools:tests:. python -m benchmarks.builds.remote -o benchmarks/results/REMOTE.md"
)
# The same objects as those of remote builds, whose configuration has it too.
_NO_PRECOMPILED_HEADERS = "--@tfcarve//rules/config:precompiled_headers=False"


@dataclass(frozen=True)
class Run:
    """A build by workers.

    Attributes:
      workers: each runs one action at a time.
      remote: the number of actions that they ran.
      here: the number of actions that ran on this machine.
      sent: bytes from Bazel to the service.
      received: bytes from the service to Bazel.
      seconds: wall time.
      same: whether the outputs have the bytes of a build without workers.
    """

    workers: int
    remote: int
    here: int
    sent: int
    received: int
    seconds: float
    same: bool


def table(runs: Sequence[Run]) -> str:
    """Returns the table.

    Args:
      runs: at least one; the others are compared with the first.
    """
    lines = [
        [
            f"{run.workers}",
            f"{run.remote:,}",
            f"{run.here:,}",
            measure.size(run.sent),
            measure.size(run.received),
            measure.seconds(run.seconds),
            f"{runs[0].seconds / run.seconds:.2f}",
            "the same bytes" if run.same else "OTHER BYTES",
        ]
        for run in runs
    ]
    head = ["workers", "remote actions", "local actions", "sent", "received", "time"]
    return measure.markdown([*head, f"times faster than {runs[0].workers}", "outputs"], lines)


def computed(graph: Sequence[Action]) -> str:
    """Returns the table of the times that actions take on numbers of workers."""
    alone = schedule.makespan(graph, 1)
    lines = []
    for workers in COMPUTED:
        seconds = schedule.makespan(graph, workers)
        lines.append(
            [
                f"{workers}",
                measure.seconds(seconds),
                f"{alone / seconds:.1f}",
                f"{alone / seconds / workers:.0%}",
            ]
        )
    return measure.markdown(
        ["workers", "time", "times faster than one", "of each worker's time used"], lines
    )


def _remote(workspace: Workspace, workers: int, expected: Mapping[str, str]) -> Run:
    """Builds by workers of a new service, which has no results of earlier builds."""
    workspace.bazel(["clean"])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(executor.prepared(folder))
        stack.enter_context(service.started())
        stack.enter_context(service.contents_cache())
        for number in range(workers):
            stack.enter_context(service.worker(f"worker{number}"))
        traffic = stack.enter_context(counting_proxy.running(service.port))
        flags = [
            *service.flags(),
            f"--remote_executor=grpc://127.0.0.1:{traffic.port}",
            "--remote_download_outputs=toplevel",
        ]
        start = time.monotonic()
        built = fresh_workspace.build(workspace, [_TARGET], flags)
        seconds = time.monotonic() - start
        remote = sum(spawn.runner == "remote" for spawn in built.spawns)
        here = len(built.spawns) - remote
        same = built.digests == expected
        return Run(workers, remote, here, traffic.sent, traffic.received, seconds, same)


@dataclass(frozen=True)
class _Measured:
    """The builds by workers, and the actions of the build without workers."""

    runs: Sequence[Run]
    graph: Sequence[Action]


def _measured(selection: Selection) -> _Measured:
    os.environ.setdefault("TFCARVE_BAZELW", str(workspaces.BAZELW))
    with fresh_workspace.opened() as workspace:
        sizes.place(workspace, selection)
        here = fresh_workspace.build(workspace, [_TARGET], [_NO_PRECOMPILED_HEADERS])
        runs = [_remote(workspace, workers, here.digests) for workers in WORKERS]
        return _Measured(runs, schedule.actions(here.spawns))


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a build fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.builds.remote", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    head = page.head("Remote execution", _COMMAND, measure.machine())
    try:
        found = _measured(selections.of_model(_MODEL))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"remote: {error}", file=sys.stderr)
        return 2
    longest, names = schedule.critical_path(found.graph)
    sections = (
        head,
        f"The library of {_MODEL} for linux_x86_64, built by BuildGrid with workers of buildbox, each of which runs one action at a "
        "time. The service, the workers and Bazel run on the machine above and share its cores. Nothing is cached at the start of "
        "a build. Sent and received are the bytes between Bazel and the service.\n",
        table(found.runs),
        f"\nThe {len(found.graph):,} actions on a number of workers, computed from their inputs and their wall times in a build without "
        "workers on the same machine, without the time for transfers:\n",
        computed(found.graph),
        f"\nNo number of workers takes less than {measure.seconds(longest)}, the time of this chain: {', '.join(names)}.\n",
    )
    files.write_if_changed(arguments.output, "\n".join(sections).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
