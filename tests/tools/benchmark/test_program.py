"""Tests of running benchmark_model, with a program in its place that writes fixed files."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import benchmark_values
import pytest

from tfcarve.benchmark import program
from tfcarve.benchmark.task import Task
from tfcarve.errors import CheckFailed

_TASK = Task(Path("m.pb"), (), (), ("y",), 1, 0, 1, None, 1)
_PROGRAM = """
import sys
from pathlib import Path
for word in sys.argv[1:]:
    option, _, value = word.partition("=")
    if option == "--json":
        Path(value).write_text({document!r})
    if option == "--trace":
        Path(value).write_bytes(b"[trace]")
sys.exit({status})
"""


def _command(folder: Path, status: int) -> list[str]:
    document = json.dumps(benchmark_values.document())
    file = folder / "program.py"
    file.write_text(_PROGRAM.format(document=document, status=status))
    return [sys.executable, str(file)]


def test_without_a_trace(tmp_path: Path) -> None:
    assert program.run(_command(tmp_path, 0), _TASK) == benchmark_values.measurement()


@pytest.mark.parametrize("status", [0, 1])
def test_a_trace_is_written_if_the_program_succeeds(tmp_path: Path, status: int) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    link.symlink_to(target)
    command = _command(tmp_path, status)
    if status:
        with pytest.raises(CheckFailed):
            program.run(command, _TASK, link)
    else:
        program.run(command, _TASK, link)
    assert target.read_bytes() == (b"before" if status else b"[trace]")
    assert link.is_symlink()


def test_a_trace_goes_to_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        program.run(_command(tmp_path, 0), _TASK, pipe)
        assert read.result(60) == b"[trace]"
    assert pipe.is_fifo()
