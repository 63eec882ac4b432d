"""Load time and memory of Inception v3 in the forms that a session can load, in one and in four processes.

    PYTHONPATH=tools:tests:. python -m benchmarks.inference.memmap -o benchmarks/results/MEMMAP.md

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks import measure, workspaces
from benchmarks.page import head
from bootstrap.console import BootstrapError
from demo import cached_models, library
from demo.nested import NestedError
from tfcarve import cli, files
from tfcarve.app.workspace import BuildError

PACKAGE = "memmap"
BUILD_FILE = Path(__file__).with_name("memmap.BUILD")
PROCESSES = (1, 4)
_MODEL, _PLATFORM = "inception_v3", "linux_x86_64"
_ROUNDS = 5
_COMMAND = (
    "PYTHONPATH=tools:tests:. python -m benchmarks.inference.memmap -o benchmarks/results/MEMMAP.md"
)


@dataclass(frozen=True)
class Form:
    """A way to load the model.

    Attributes:
      label: in the table.
      memmap: the arguments of `tfcarve memmap` that write the file; None: as TensorFlow wrote it.
      how: as benchmarks.inference.memmap_process calls it.
    """

    label: str
    memmap: tuple[str, ...] | None
    how: str = "file"


FORMS = (
    Form("`tfcarve_session_new`", None, "bytes"),
    Form("the file as TensorFlow wrote it", None),
    Form("`tfcarve memmap`", ()),
    Form("`tfcarve memmap --format tensorflow`", ("--format", "tensorflow")),
)


@dataclass(frozen=True)
class Load:
    """Processes that loaded the model and ran it once.

    Attributes:
      form: label of the form.
      processes: their number.
      seconds: processor time of loading it, of the fastest.
      anonymous: their anonymous memory since before, in bytes, together.
      file_backed: the same for memory of files.
    """

    form: str
    processes: int
    seconds: float
    anonymous: int
    file_backed: int


def _start(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def _answer(process: subprocess.Popen[str]) -> dict[str, float]:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise NestedError(f"a process ended with status {process.wait()}: {process.args!r}")
    answer: dict[str, float] = json.loads(line)
    return answer


def load(form: Form, command: Sequence[str], processes: int) -> Load:
    """Runs the processes at the same time; raises NestedError if one fails."""
    with ExitStack() as stack:
        running = [stack.enter_context(_start(command)) for _ in range(processes)]
        seconds = min(_answer(process)["seconds"] for process in running)
        for process in running:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        memory = [_answer(process) for process in running]
        for process in running:
            process.communicate()
    anonymous, of_files = (
        int(sum(one[name] for one in memory)) for name in ("Pss_Anon", "Pss_File")
    )
    return Load(form.label, processes, seconds, anonymous, of_files)


def least(loads: Sequence[Load]) -> Load:
    """Returns the least of each figure of several rounds."""
    return Load(
        loads[0].form,
        loads[0].processes,
        min(one.seconds for one in loads),
        min(one.anonymous for one in loads),
        min(one.file_backed for one in loads),
    )


def table(loads: Sequence[Load]) -> str:
    """Returns a row for each form and number of processes."""
    rows = [
        [
            one.form,
            str(one.processes),
            f"{one.seconds * 1e3:.0f}",
            f"{one.anonymous / 1e6:.1f}",
            f"{one.file_backed / 1e6:.1f}",
        ]
        for one in loads
    ]
    return measure.markdown(
        ["Loaded by or from", "Processes", "Load, ms", "Anonymous, MB", "Files, MB"], rows
    )


def text(machine: str, loads: Sequence[Load]) -> str:
    """Returns the page."""
    return "\n".join(
        (
            head("Load time and memory of mapped models", _COMMAND, machine),
            "Inception v3 (95.6 MB), one thread, loaded and run once. Load: processor time of creating the session, minimum of "
            f"{_ROUNDS} rounds. Memory: what all processes together have in addition to that before loading; a page of a file "
            "that processes share counts once.\n",
            table(loads),
            "",
        )
    )


def _measured(shared: Path, folder: Path) -> list[Load]:
    model = cached_models.load(_MODEL)
    loads = []
    for number, form in enumerate(FORMS):
        file = model.model
        if form.memmap is not None:
            file = folder / f"{number}.pb"
            if cli.main(["memmap", *form.memmap, str(model.model), "-o", str(file)]):
                raise NestedError(f"tfcarve memmap failed for {model.model}")
        command = [sys.executable, "-m", "benchmarks.inference.memmap_process"]
        command += [str(one) for one in (shared, file, form.how, model.input)]
        for processes in PROCESSES:
            loads.append(least([load(form, command, processes) for _ in range(_ROUNDS)]))
    return loads


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a build or a process fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.inference.memmap", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as scratch, workspaces.opened("sizes") as workspace:
            package = Path(scratch, "package.pb")
            model = cached_models.load(_MODEL).model
            cli.main(["memmap", "--format", "tensorflow", str(model), "-o", str(package)])
            workspace.place(PACKAGE, {"BUILD": BUILD_FILE}, "BUILD")
            workspace.place(PACKAGE, {"model.pb": package}, "*.pb")
            target = f"//{PACKAGE}:{_PLATFORM}"
            built = library.build(workspace, target, _PLATFORM, progress=sys.stderr.isatty())
            loads = _measured(built.shared, Path(scratch))
    except (BootstrapError, BuildError, NestedError) as error:
        print(f"memmap: {error}", file=sys.stderr)
        return 2
    files.write_if_changed(arguments.output, text(measure.machine(), loads).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
