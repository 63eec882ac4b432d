"""What a build of a library compiles that finds nothing in a cache.

    PYTHONPATH=tools:tests:. python -m benchmarks.builds.cold_build -o benchmarks/results/COLD_BUILD.md

Run it in the repository's folder, with the Python environment of the tests. It compiles TensorFlow's runtime once for each
platform, without the disk cache.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, page, selections, workspaces
from benchmarks.size import sizes
from demo.nested import NestedError
from e2e.builds import app_workspace, execution_log
from e2e.builds.execution_log import Spawn
from tfcarve import files
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.errors import TfcarveError
from tfcarve.selection.selection import Selection

PLATFORMS = ("linux_x86_64", "linux_arm64")
_MODEL = "inception_v3"
_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.builds.cold_build -o benchmarks/results/COLD_BUILD.md"
_FOR_TOOLS = "-exec-"


@dataclass(frozen=True)
class Compiles:
    """Compiles of a build: their number, and the sum of their wall seconds."""

    number: int
    seconds: float


def total(spawns: Iterable[Spawn]) -> Compiles:
    """Returns the compiles among commands, without those that a cache answered."""
    ran = [spawn for spawn in execution_log.compiles(spawns) if not spawn.cached]
    return Compiles(len(ran), sum(spawn.seconds for spawn in ran))


@dataclass(frozen=True)
class Row:
    """Compiles for a platform.

    Attributes:
      tools: those of programs that generate sources and run here.
      library: those of the library.
      whole: those of all sources of TensorFlow's mobile runtime and RE2.
    """

    tools: Compiles
    library: Compiles
    whole: Compiles


def table(rows: Mapping[str, Row]) -> str:
    """Returns the table.

    Args:
      rows: by platform.
    """
    lines = [
        [platform, *_cells(row.tools), *_cells(row.library), *_cells(row.whole)]
        for platform, row in rows.items()
    ]
    compiled = ("Programs that generate sources", "Library", "Whole runtime, without kernels")
    columns = (column for name in compiled for column in (f"{name}: sources", "time"))
    return measure.markdown(["Platform", *columns], lines)


def _cells(compiles: Compiles) -> tuple[str, str]:
    return f"{compiles.number:,}", measure.seconds(compiles.seconds)


def _spawns(workspace: Workspace, target: str, *flags: str) -> list[Spawn]:
    """Builds a target without the disk cache; returns the commands that Bazel ran."""
    _, spawns = app_workspace.build_logged(
        workspace, [target], ("--disk_cache=", *flags), progress=sys.stderr.isatty()
    )
    return spawns


def _measured(selection: Selection) -> Mapping[str, Row]:
    rows: dict[str, Row] = {}
    with workspaces.opened("cold_build") as workspace:
        sizes.place(workspace, selection)
        workspace.bazel(["clean"])
        built = {
            platform: _spawns(workspace, f"//{sizes.PACKAGE}:{platform}") for platform in PLATFORMS
        }
        for platform, spawns in built.items():
            workspace.bazel(["clean"])
            named = workspaces.platform_flag(platform)
            rows[platform] = Row(
                total(spawn for spawn in spawns if _FOR_TOOLS in spawn.outputs[0]),
                total(spawn for spawn in spawns if _FOR_TOOLS not in spawn.outputs[0]),
                total(_spawns(workspace, workspaces.WHOLE_RUNTIME, named)),
            )
    return rows


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a build fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.builds.cold_build", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    head = page.head("Cold builds", _COMMAND, measure.machine())
    try:
        rows = _measured(selections.of_model(_MODEL))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"cold_build: {error}", file=sys.stderr)
        return 2
    sections = (
        head,
        f"The library of {_MODEL}: C and C++ sources compiled, and the sum of the compilers' wall times. Of TensorFlow's mobile "
        "runtime and the libraries that it needs, tfcarve compiles the sources that the library refers to; the last columns have "
        "all of them.\n",
        table(rows),
        "",
    )
    files.write_if_changed(arguments.output, "\n".join(sections).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
