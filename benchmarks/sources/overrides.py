"""Bytes and compile time of overrides, compared with TensorFlow's files of the same paths.

    PYTHONPATH=tools:tests:. python -m benchmarks.sources.overrides -o benchmarks/results/OVERRIDES.md

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. It takes half an hour after
TensorFlow's core is built. `--override PATH` measures only this one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import measure, selections, workspaces
from benchmarks.size.sizes import MODELS
from benchmarks.sources import override_builds, override_table, relink
from benchmarks.sources.override_builds import Exchange
from benchmarks.sources.override_table import Row
from benchmarks.sources.relink import CommandError
from demo import cached_models
from demo.nested import NestedError
from e2e.builds import app_workspace
from e2e.graphs import dataset_graph, library_graphs, override_graphs
from tfcarve import files
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.commands import common
from tfcarve.errors import TfcarveError
from tfcarve.releases import known
from tfcarve.runtime_sources import optional_sources
from tfcarve.selection.resolve import RuntimeRequest
from tfcarve.selection.selection import Selection
from tfcarve.size.link_line import LinkLine

PLATFORM = "linux_x86_64"
_FOLDER = "third_party/tensorflow/overrides/core/"
_CORE = tuple(override.path for override in known.release().overrides.core)
PATHS = (*_CORE, *(override.path for override in known.release().overrides.kernels))


def contained(selection: Selection, paths: Sequence[str]) -> list[str]:
    """Returns those of the overrides `paths` that a library of the selection contains.

    Every library has the core's, except those of TensorFlow's session, which only a library with a session has.
    """
    units = {*selection.files, *selection.helpers}
    if selection.runtime == "session":
        return [path for path in paths if path in _CORE or path in units]
    session = {
        source.path.removeprefix(_FOLDER).replace(".pb.cc", ".proto")
        for source in optional_sources.read(known.release()).sources
        if source.session
    }
    return [path for path in paths if (path in _CORE and path not in session) or path in units]


def _exchanges(
    workspace: Workspace,
    built: LinkLine,
    selection: Selection,
    paths: Sequence[str],
    folder: Path,
) -> Iterator[tuple[str, Exchange]]:
    protos = [path for path in paths if path.endswith(".proto")]
    protoc = override_builds.protoc(workspace, PLATFORM, built) if protos else ()
    for path in paths:
        if path in protos:
            yield path, override_builds.of_proto(built, protoc, path, folder)
        elif path in _CORE:
            yield path, override_builds.of_core_source(built, path)
        else:
            yield path, override_builds.of_kernel(built, selection, path, folder)


def _tensorflow(
    built: LinkLine, exchange: Exchange, folder: Path
) -> tuple[float | None, int | None, str]:
    """Returns the CPU time and the library's size with TensorFlow's file, or why there is none."""
    new = folder / exchange.member
    try:
        seconds = override_builds.compiled(exchange.tensorflow, built.root, new)
    except CommandError as error:
        return None, None, f"does not compile: {override_table.reason(str(error))}"
    try:
        return seconds, override_builds.stripped_size(built, exchange, new, folder), ""
    except CommandError as error:
        return seconds, None, f"does not link: {override_table.reason(str(error))}"


def _row(built: LinkLine, path: str, library: str, exchange: Exchange, expected: int) -> Row:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        new = folder / exchange.member
        seconds = override_builds.compiled(exchange.override, built.root, new)
        size = override_builds.stripped_size(built, exchange, new, folder)
        if size != expected:
            # The commands are not those of the build: the comparison would mean nothing.
            raise NestedError(
                f"{path}: linked again, the library has {size:,} bytes, not {expected:,}"
            )
        tensorflow_seconds, tensorflow_size, problem = _tensorflow(built, exchange, folder)
    saved = None if tensorflow_size is None else tensorflow_size - size
    return Row(path, library, seconds, tensorflow_seconds, saved, problem)


def _models(folder: Path) -> Iterator[tuple[str, list[Path], RuntimeRequest]]:
    """Yields the models of a library, with its name and runtime: those of benchmarks.size.sizes, then the graphs of tests."""
    for model in MODELS:
        yield model, [cached_models.load(model).model], "auto"
    yield f"{MODELS[0]}, session", [cached_models.load(MODELS[0]).model], "session"
    for library, graphs in (
        (override_table.TEST_GRAPHS, override_graphs.graphs()),
        (override_table.TEXT_GRAPHS, library_graphs.STRINGS),
        ("a dataset", {"dataset": dataset_graph.graph()}),
    ):
        yield library, list(app_workspace.write_graphs(graphs, folder).values()), "auto"


def _rows(workspace: Workspace, paths: Sequence[str], models_folder: Path) -> Iterator[Row]:
    indexed = selections.kernel_index(common.sources(None))
    missing = list(paths)
    optional = relink.optional_sources(workspace, PLATFORM, models_folder)
    for name, models, request in _models(models_folder):
        selection = selections.selected(models, indexed, request)
        found = contained(selection, missing)
        if not found:
            continue
        missing = [path for path in missing if path not in found]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            built = relink.with_archive(relink.line(workspace, PLATFORM, selection), optional)
            same = override_builds.built_size(built)
            for path, exchange in _exchanges(workspace, built, selection, found, folder):
                row = _row(built, path, name, exchange, same)
                print(override_table.table([row]).splitlines()[-1], file=sys.stderr, flush=True)
                yield row


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0; 2 if a library cannot be built."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.sources.overrides", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--override",
        action="append",
        choices=PATHS,
        metavar="PATH",
        help="only this override; may be repeated",
    )
    arguments = parser.parse_args(argv)
    machine, paths = measure.machine(), arguments.override or PATHS
    try:
        with tempfile.TemporaryDirectory() as folder, workspaces.opened("sizes") as workspace:
            rows = list(_rows(workspace, paths, Path(folder)))
    except (BuildError, NestedError, TfcarveError) as error:
        print(f"overrides: {error}", file=sys.stderr)
        return 2
    absent = [path for path in paths if path not in {row.path for row in rows}]
    ordered = sorted(rows, key=lambda row: paths.index(row.path))
    text = override_table.text(machine, PLATFORM, ordered, absent)
    files.write_if_changed(arguments.output, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
