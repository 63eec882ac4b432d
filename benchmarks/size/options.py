"""Size, speed and compile time of Inception v3's library with each option.

    PYTHONPATH=tools:tests:. python -m benchmarks.size.options -o benchmarks/results/OPTIONS.md

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. By default it measures all options
for x86-64; each option that changes the core takes about five minutes to compile. `--compiler clang++-19` builds with
that compiler. Each library is built by the rules in a copy of tests/e2e/bzlmod, and its output is
compared with full TensorFlow's.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import measure, page, workspaces
from demo import cached_models, library
from demo.cached_models import CachedModel
from demo.library import Library
from demo.nested import NestedError
from tfcarve import files
from tfcarve.app.workspace import ALL_OUTPUTS, BuildError, Workspace

PACKAGE = "options_sizes"
BUILD_FILE = Path(__file__).with_name("options.BUILD")
DEFAULT = "default"
OPTIONS = (
    DEFAULT,
    "packed_relocations",
    "without_log_messages",
    "full_protos",
    "Oz",
    "O2",
    "O3",
    "smallest",
)
PLATFORMS = ("linux_x86_64", "linux_arm64", "linux_armv7")
MODEL = "inception_v3"
_HOST = "linux_x86_64"
_RUNS = 7
_GCC = "gcc"
# A sample of the core's several hundred sources, to measure compile time.
_SAMPLE = (
    "common_runtime/direct_session",
    "common_runtime/executor",
    "framework/node_def_util",
    "graph/graph",
)
_COMPILATIONS = 3


@dataclass(frozen=True)
class Option:
    """A library with one option.

    Attributes:
      platform: the target platform.
      name: of the option.
      stripped: bytes of the stripped shared library.
      gzip: bytes after `gzip -9`.
      difference: largest difference of an output from full TensorFlow's.
      compiled: CPU seconds to compile a sample of the core's sources, the median.
      run: milliseconds of one run of the model on one thread, the median; None if emulated.
    """

    platform: str
    name: str
    stripped: int
    gzip: int
    difference: float
    compiled: float
    run: float | None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.size.options", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument(
        "--platform",
        action="append",
        choices=PLATFORMS,
        dest="platforms",
        help="measure this platform; may be repeated",
    )
    parser.add_argument(
        "--option",
        action="append",
        choices=OPTIONS[1:],
        dest="options",
        help="measure only this option; may be repeated",
    )
    parser.add_argument(
        "--compiler", default=_GCC, metavar="NAME", help="compiler of the libraries; default: gcc"
    )
    return parser


def _target(platform: str, option: str) -> str:
    return f"//{PACKAGE}:{platform}_{option}"


def _built(workspace: Workspace, platform: str, option: str, flags: Sequence[str]) -> Library:
    flags = [*flags, ALL_OUTPUTS]
    target = _target(platform, option)
    return library.build(workspace, target, platform, flags, progress=sys.stderr.isatty())


def compilation(command: Sequence[str], output: Path) -> list[str]:
    """Returns a compilation command with another output and without -MD and -MF."""
    words = iter(command)
    left = []
    for word in words:
        if word == "-MF":
            next(words)
        elif word != "-MD":
            left.append(word)
    left[left.index("-o") + 1] = str(output)
    return left


def _compilations(workspace: Workspace, target: str, flags: Sequence[str]) -> list[list[str]]:
    """Returns the commands that compile the sample's sources for a library."""
    sources = f".*/core/({'|'.join(_SAMPLE)})[.]cc"
    found = workspace.actions(f'mnemonic("CppCompile", inputs("{sources}", deps({target})))', flags)
    if len(found) != len(_SAMPLE):
        raise NestedError(f"{target}: expected {len(_SAMPLE)} compilations, not {len(found)}")
    return [action["arguments"] for action in found]


def _compile_times(
    workspace: Workspace, targets: Sequence[str], flags: Sequence[str]
) -> list[float]:
    """Returns the median CPU seconds of the compilations of each library, measured in turns."""
    root = workspace.execution_root()
    commands = [_compilations(workspace, target, flags) for target in targets]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "output.o")
        turns = [
            [sum(measure.run(compilation(c, output), cwd=root).cpu for c in all_of) for all_of in commands]
            for _ in range(_COMPILATIONS)
        ]  # fmt: skip
    return [statistics.median(turn) for turn in zip(*turns, strict=True)]


def _difference(built: Library, model: CachedModel) -> float:
    answer, _ = library.run_once(built, model)
    if answer.output is None:
        raise NestedError(f"{built.platform}: the model did not run: {answer.message}")
    return library.largest_difference(answer.output, np.load(model.output))


def _run_ms(built: Library, model: CachedModel) -> float:
    """Returns the milliseconds of one run on one thread."""
    fed, expected = f"{library.INPUT}={model.input}", f"{library.OUTPUT}={model.output}"
    bound = ["--input", fed, "--expect", expected, "--tolerance", "float32=1e-4"]
    command: list[str | Path] = [built.runner, model.model, *bound, "--time", "--threads=1"]
    return float(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout)


def _times(built: Sequence[Library], model: CachedModel) -> list[float]:
    """Returns the median milliseconds of a run of each library, measured in turns."""
    turns = [[_run_ms(one, model) for one in built] for _ in range(_RUNS)]
    return [statistics.median(times) for times in zip(*turns, strict=True)]


@contextmanager
def opened(model: CachedModel, compiler: str = _GCC) -> Iterator[Workspace]:
    """Opens the workspace in which a compiler's libraries for one model are built."""
    with workspaces.opened(f"sizes-{compiler}") as workspace:
        workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
        workspace.place(PACKAGE, {model.model.name: model.model}, "*.pb")
        yield workspace


def _rows(platforms: Sequence[str], options: Sequence[str], compiler: str) -> Iterator[Option]:
    model = cached_models.load(MODEL)
    flags = [f"--repo_env=CC={compiler}"]
    if compiler != _GCC:
        flags.append(f"--repo_env=TFCARVE_CROSS_COMPILER={compiler}")
    with opened(model, compiler) as workspace:
        for platform in platforms:
            built = [_built(workspace, platform, option, flags) for option in options]
            targets = [_target(platform, option) for option in options]
            compiled = _compile_times(workspace, targets, flags)
            runs = _times(built, model) if platform == _HOST else [None] * len(built)
            for option, one, compilations, run in zip(options, built, compiled, runs, strict=True):
                yield Option(
                    platform,
                    option,
                    one.shared.stat().st_size,
                    library.gzip_size(one.shared),
                    _difference(one, model),
                    compilations,
                    run,
                )


def table(rows: Sequence[Option]) -> str:
    """Returns the table as Markdown: each option, with its ratio to the default of its platform."""
    defaults = {row.platform: row for row in rows if row.name == DEFAULT}
    lines = []
    for row in rows:
        plain = defaults[row.platform]
        size = f"{row.stripped:,} ({row.stripped / plain.stripped:.2f})"
        packed = f"{row.gzip:,} ({row.gzip / plain.gzip:.2f})"
        compiled = f"{measure.seconds(row.compiled)} ({row.compiled / plain.compiled:.2f})"
        run = "-"
        if row.run is not None and plain.run is not None:
            run = f"{row.run:,.0f} ms ({row.run / plain.run:.2f})"
        lines.append((row.platform, row.name, size, packed, f"{row.difference:.1e}", compiled, run))
    head = ("Platform", "Option", "bytes", "gzip", "largest difference", "compilation", "one run")
    return measure.markdown(head, lines)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 2 if a library cannot be built or run."""
    arguments = _parser().parse_args(argv)
    options = [DEFAULT, *(arguments.options or OPTIONS[1:])]
    try:
        rows = list(_rows(arguments.platforms or [_HOST], options, arguments.compiler))
    except (BuildError, NestedError) as error:
        print(f"options: {error}", file=sys.stderr)
        return 2
    command = shlex.join(["python", "-m", "benchmarks.size.options", *argv])
    head = page.head(
        "Options of a library",
        f"PYTHONPATH=tools:tests:. {command}",
        measure.machine(arguments.compiler),
    )
    body = f"{head}\nIn brackets: the ratio to the default.\n\n{table(rows)}\n"
    files.write_if_changed(arguments.output, body.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
