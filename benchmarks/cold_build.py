"""What a build of a library compiles that finds nothing in a cache, and how long it takes on a number of workers.

    PYTHONPATH=tools:tests:. python -m benchmarks.cold_build -o benchmarks/COLD_BUILD.md

Run it in the repository's folder, with the Python environment of the tests. It compiles TensorFlow's runtime once for each
platform, without the disk cache.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page, schedule, selections, workspaces
from benchmarks.schedule import Action
from demo import cached_models
from demo.nested import BuildError, NestedError, Workspace
from e2e import app_workspace, execution_log, prebuilt_selection
from e2e.execution_log import Spawn
from tfcarve import files
from tfcarve.commands import common
from tfcarve.errors import TfcarveError
from tfcarve.releases import known
from tfcarve.selection.selection import Selection

PLATFORMS = ("linux_x86_64", "linux_arm64")
_MODEL = "inception_v3"
_PACKAGE = "sizes"
_BUILD_FILE = Path(__file__).with_name("sizes.BUILD")
_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.cold_build -o benchmarks/COLD_BUILD.md"
_FOR_TOOLS = "-exec-"
_WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Compiles:
    """Compiles of a build: their number, and the sum of their wall seconds."""

    number: int
    seconds: float

    def plus(self, other: Compiles) -> Compiles:
        """Returns the sum."""
        return Compiles(self.number + other.number, self.seconds + other.seconds)


def total(spawns: Iterable[Spawn]) -> Compiles:
    """Returns the compiles among commands, without those that a cache answered."""
    ran = [spawn for spawn in execution_log.compiles(spawns) if not spawn.cached]
    return Compiles(len(ran), sum(spawn.seconds for spawn in ran))


def table(rows: Mapping[str, tuple[Compiles, Compiles]]) -> str:
    """Returns the table.

    Args:
      rows: by what is compiled, the compiles and those that a complete core has in addition.
    """
    lines = []
    for name, (now, more) in rows.items():
        whole = now.plus(more)
        ratio = f"{now.seconds / whole.seconds:.2f}" if whole.seconds else "-"
        lines.append([name, *_cells(now), *_cells(whole), ratio])
    head = ["Compiled", "sources", "time", "sources, complete core", "time", "ratio of the times"]
    return measure.markdown(head, lines)


def _cells(compiles: Compiles) -> tuple[str, str]:
    return f"{compiles.number:,}", measure.seconds(compiles.seconds)


def workers_table(graph: Sequence[Action]) -> str:
    """Returns how long the actions take on numbers of workers."""
    alone = schedule.makespan(graph, 1)
    lines = []
    for workers in _WORKERS:
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


def _spawns(workspace: Workspace, target: str, *flags: str) -> list[Spawn]:
    """Builds a target without the disk cache; returns the commands that Bazel ran."""
    _, spawns = app_workspace.build_logged(
        workspace, [target], ("--disk_cache=", *flags), progress=sys.stderr.isatty()
    )
    return spawns


@dataclass(frozen=True)
class _Measured:
    """The rows of the table, and all commands of the builds."""

    rows: Mapping[str, tuple[Compiles, Compiles]]
    spawns: Sequence[Spawn]


def _measured(selection: Selection) -> _Measured:
    rows: dict[str, tuple[Compiles, Compiles]] = {}
    every: list[Spawn] = []
    optional = (
        f"@tfcarve//third_party/tensorflow/releases/{known.default_name()}:update_optional_sources"
    )
    with workspaces.opened("cold_build") as workspace, tempfile.TemporaryDirectory() as folder:
        workspace.place(_PACKAGE, {"BUILD": _BUILD_FILE}, "BUILD")
        prebuilt_selection.place(workspace, selection, Path(folder), _PACKAGE)
        workspace.bazel(["clean"])
        for platform in PLATFORMS:
            ran = _spawns(workspace, f"//{_PACKAGE}:{platform}")
            every += ran
            tools = [spawn for spawn in ran if _FOR_TOOLS in spawn.outputs[0]]
            if tools:
                rows["programs that generate sources"] = total(tools), Compiles(0, 0.0)
            own = [spawn for spawn in ran if _FOR_TOOLS not in spawn.outputs[0]]
            named = f"--platforms=@tfcarve//rules/platforms:{platform}"
            rows[platform] = total(own), total(_spawns(workspace, optional, named))
    return _Measured(rows, every)


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a build fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold_build", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    head = page.head("Cold builds", _COMMAND, measure.machine())
    try:
        indexed = selections.kernel_index(common.tensorflow_tree(None))
        model = cached_models.load(_MODEL).model
        found = _measured(selections.selected([model], indexed))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"cold_build: {error}", file=sys.stderr)
        return 2
    graph = schedule.actions(found.spawns)
    longest, names = schedule.critical_path(graph)
    sections = (
        head,
        f"The library of {_MODEL}: C and C++ sources compiled, and the sum of the compilers' wall times. A complete core has all "
        "sources of TensorFlow's mobile runtime and RE2; tfcarve compiles those that the library refers to.\n",
        table(found.rows),
        f"\nThe {len(graph):,} actions of these builds on a number of workers, computed from their wall times and their inputs, without "
        "the time for transfers:\n",
        workers_table(graph),
        f"\nNo number of workers takes less than {measure.seconds(longest)}, the time of this chain: {', '.join(names)}.\n",
    )
    files.write_if_changed(arguments.output, "\n".join(sections).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
