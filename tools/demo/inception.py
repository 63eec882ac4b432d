"""Carves the smallest TensorFlow library that runs Inception v3, for this host and for
Raspberry Pi (arm64), and runs the model in both.

The first run builds TensorFlow's core, which takes tens of minutes; later runs find it
in Bazel's cache.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import numpy as np

from demo import facts, library, made_models, nested, speed
from demo.facts import Measured, Selected
from demo.library import Library
from demo.made_models import MadeModel
from demo.nested import BuildError, NestedError, Workspace

APP = Path("tests/e2e/bzlmod")
MODEL = "inception_v3"
PLATFORMS = ("linux_x86_64", "linux_arm64")
SELECTION = "//inception:selection"
RELEASE = "//inception:release"
_HOST = "linux_x86_64"
_STAGES = 7


class _RefusedError(Exception):
    """A library does not run the model; the message says why."""


class _Narrator:
    """Prints each stage's name when it starts and what came of it when it ends."""

    def __init__(self) -> None:
        self._terminal = sys.stdout.isatty()
        self._stage = 0

    @contextmanager
    def stage(self, name: str, doing: str) -> Iterator[list[str]]:
        """A stage; what the body appends to the list is printed after it."""
        self._stage += 1
        head = f"[{self._stage}/{_STAGES}] {name:<13}"
        if self._terminal:
            print(f"{head} {doing} ...", flush=True)
        start = time.monotonic()
        said: list[str] = []
        yield said
        print(f"{head} {said[0]}; {facts.clock(time.monotonic() - start)}", flush=True)
        for more in said[1:]:
            print(more, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument(
        "--platform",
        action="append",
        choices=PLATFORMS,
        dest="platforms",
        help="only this platform; may be repeated",
    )
    return parser


def _full_tensorflow_size() -> int:
    """The size of the libraries that the tensorflow-cpu wheel runs models with."""
    files = metadata.files("tensorflow-cpu") or []
    names = ("libtensorflow_cc.so.2", "libtensorflow_framework.so.2")
    found = [Path(str(file.locate())) for file in files if file.name in names]
    return sum(file.stat().st_size for file in found)


def _select(workspace: Workspace, progress: bool) -> Selected:
    build = workspace.build([SELECTION], progress=progress)
    selection = next(f for f in build.files(SELECTION) if f.name == "selection.json")
    return Selected.of(json.loads(selection.read_text(encoding="utf-8")))


def _run(built: Library, model: MadeModel) -> tuple[float, bool]:
    """The largest difference from full TensorFlow, and whether the output is from earlier.

    Raises:
        _RefusedError: the library does not run the model.
    """
    answer, kept = library.run_once(built, model)
    if answer.output is None:
        raise _RefusedError(f"{built.platform}: the library refuses the model: {answer.message}")
    return library.largest_difference(answer.output, np.load(model.output)), kept


def _measure(built: Library, difference: float) -> Measured:
    return Measured(
        platform=built.platform,
        stripped=built.shared.stat().st_size,
        gzip=library.gzip_size(built.shared),
        difference=difference,
        library=str(built.shared),
    )


def _shown(workspace: Workspace, file: str) -> str:
    """A file of the build, by the shorter path that Bazel keeps in the workspace."""
    _, found, inside = file.partition("/bin/")
    short = workspace.folder / "bazel-bin" / inside
    return str(short if found and short.exists() else file).replace(str(Path.home()), "~", 1)


def _demo(platforms: Sequence[str]) -> int:
    progress = sys.stderr.isatty()
    narrator = _Narrator()
    with nested.opened(nested.source_tree() / APP, "app") as workspace:
        with narrator.stage(
            "model", "making Inception v3 and running it in full TensorFlow"
        ) as say:
            model = made_models.made(MODEL)
            workspace.place("inception", {f"{MODEL}.pb": model.model}, "*.pb")
            size = model.model.stat().st_size / 1e6
            say.append(f"{MODEL}.pb, {size:.1f} MB{', kept from an earlier run' * model.kept}")
        with narrator.stage("selection", "working out what it needs of TensorFlow") as say:
            selected = _select(workspace, progress)
            say += [selected.text(), facts.wrapped(selected.ops, " " * 20)]
        built = []
        for platform in PLATFORMS:
            if platform not in platforms:
                continue
            with narrator.stage(platform, "building the library") as say:
                built.append(library.build(workspace, RELEASE, platform, progress=progress))
                say.append(f"{built[-1].shared.name}, {built[-1].static.name}")
        with narrator.stage("run", "running the model in each library") as say:
            ran = [_run(one, model) for one in built]
            kept = ", kept from an earlier run" * all(kept for _, kept in ran)
            say.append(f"by {len(ran)} libraries, compared with full TensorFlow{kept}")
        with narrator.stage("sizes", "measuring") as say:
            measured = [_measure(one, run[0]) for one, run in zip(built, ran, strict=True)]
            say.append("of the stripped shared library, in bytes")
            say.append("\n" + facts.table(measured, _full_tensorflow_size()) + "\n")
        hosts = [one for one in built if one.platform == _HOST]
        with narrator.stage("speed", "timing one inference beside full TensorFlow") as say:
            said = "measured on linux_x86_64 only"
            if hosts:
                said = f"of one inference on one thread: {speed.measured(hosts[0], model).text()}"
            say.append(said)
        print()
        for one in measured:
            print(f"{one.platform}: {_shown(workspace, one.library)}")
        wrong = [one.platform for one in measured if not one.agrees]
        if wrong:
            print(
                f"demo: {', '.join(wrong)}: the output differs from full TensorFlow's by more "
                f"than {facts.TOLERANCE}",
                file=sys.stderr,
            )
        return 1 if wrong else 0


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 where a library gives another answer; 2 where it can't be built."""
    asked = _parser().parse_args(argv)
    try:
        return _demo(asked.platforms or PLATFORMS)
    except (_RefusedError, BuildError, NestedError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1 if isinstance(error, _RefusedError) else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
