"""The record of fuzzing runs, and the command that adds to it."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from fuzz import record, rounds
from fuzz.readers import READERS, read
from fuzz.record import Row, Run

ROOT = Path(os.environ["RUNFILES_DIR"]) / "_main"
_ROW = Row("abc", cases=1000, finds=1, cases_since_find=400, date="2026-01-01")


@pytest.fixture
def other_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of tfcarve's Python files, which the record uses instead."""
    for file in {file for name in READERS for file in record.files(name)}:
        copy = tmp_path / file.relative_to(record._TOOLS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    monkeypatch.setattr(record, "_TOOLS", tmp_path)
    monkeypatch.setattr(record, "FILE", tmp_path / "runs.json")
    return tmp_path


def test_runs_add_up() -> None:
    found_nothing = record.after(_ROW, Run(300, 0), "2026-01-02")
    assert found_nothing == Row("abc", 1300, 1, 700, "2026-01-02")
    assert record.after(found_nothing, Run(10, 2), "2026-01-03") == Row(
        "abc", 1310, 3, 0, "2026-01-03"
    )


def test_other_sources_start_from_zero() -> None:
    assert record.current(_ROW, "abc") is _ROW
    assert record.current(_ROW, "def") == Row("def")


@pytest.mark.parametrize("name", sorted(READERS))
def test_sources_include_the_code_that_a_reader_runs(name: str) -> None:
    ran: set[str] = set()
    package = str(record._TOOLS / "tfcarve")
    before = sys.gettrace()
    # Called for each call of a Python function; it returns None, so that lines are not traced.
    sys.settrace(lambda frame, *_: ran.add(frame.f_code.co_filename))
    try:
        for seed in READERS[name].seeds:
            read(name, seed)
    finally:
        sys.settrace(before)
    own = {Path(file) for file in ran if file.startswith(package)}
    assert own and own <= set(record.files(name))


def test_a_changed_source_resets_the_readers_that_use_it(other_tools: Path) -> None:
    rows = {name: replace(_ROW, sources=row.sources) for name, row in record.load().items()}
    record.FILE.write_text(json.dumps({name: asdict(row) for name, row in rows.items()}))
    assert record.load() == rows
    wire = other_tools / "tfcarve/models/wire.py"
    wire.write_text(wire.read_text() + "\n# changed\n")
    reset = {name for name, row in record.load().items() if not row.cases}
    assert {"graph_def", "saved_model", "tflite"} <= reset
    assert reset.isdisjoint({"index", "build_file", "skeleton"})


def test_the_committed_record_has_all_readers() -> None:
    assert set(json.loads(record.FILE.read_bytes())) == set(record.load()) == set(READERS)


def test_a_run_is_added(other_tools: Path) -> None:
    before = record.load()["skeleton"]
    row = record.add("skeleton", Run(300, 1), before.sources, "2026-01-02")
    assert row == Row(before.sources, 300, 1, 0, "2026-01-02")
    assert record.load()["skeleton"] == row
    assert [file.name for file in other_tools.glob("runs.json*")] == ["runs.json"]


def test_a_run_on_changed_sources_does_not_count(other_tools: Path) -> None:
    before = record.load()["skeleton"]
    assert record.add("skeleton", Run(300, 0), "other sources", "2026-01-02") == before
    assert record.load()["skeleton"] == before


_ADD = """
import sys
from pathlib import Path
from fuzz import readers, record
record.FILE = Path(sys.argv[1])
readers.READERS = {name: readers.READERS[name] for name in ("attr_spec", "skeleton")}
tested = record.load()[sys.argv[2]].sources
print("ready", flush=True)
sys.stdin.readline()
record.add(sys.argv[2], record.Run(1, 0), tested, "2026-01-02")
"""


def test_runs_that_end_at_the_same_time_all_count(tmp_path: Path) -> None:
    """Each process has read the record before another one writes it."""
    names = ["skeleton", "skeleton", "attr_spec"]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _ADD, str(tmp_path / "runs.json"), name],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.wait(timeout=120) for process in processes] == [0] * len(names)
    for process in processes:
        process.communicate()
    rows = json.loads((tmp_path / "runs.json").read_bytes())
    assert {name: row["cases"] for name, row in rows.items()} == {"attr_spec": 1, "skeleton": 2}


@pytest.mark.parametrize(
    ("files", "most", "taken"),
    [
        (0, 4, []),
        (1, 4, [0]),
        (4, 4, [3, 2, 1, 0]),
        (5, 4, [4, 3, 2, 1]),
        (100, 4, [99, 74, 49, 24]),
    ],
)
def test_files_are_evenly_spread(files: int, most: int, taken: list[int]) -> None:
    paths = [Path(str(i)) for i in range(files)]
    assert [int(path.name) for path in rounds.spread(paths, most)] == taken


def _documented() -> list[list[str]]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [shlex.split(line) for line in re.findall(r"^    (.*\bfuzz\.rounds\b.*)$", text, re.M)]


def test_the_documented_command_runs(tmp_path: Path) -> None:
    """With no inputs to try, so it does not fuzz."""
    (command,) = _documented()
    variable, python, *arguments = command
    name, folders = variable.split("=")
    assert (name, python) == ("PYTHONPATH", "python")
    arguments = [str(tmp_path) if word == "FOLDER" else word for word in arguments]
    environment = {**os.environ, "PYTHONPATH": f"{folders}:{os.environ['PYTHONPATH']}"}
    run = [sys.executable, *arguments]
    done = subprocess.run(
        [*run, "--cases=0"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == sorted(READERS)
    # The control: an unknown option.
    status = subprocess.run(
        [*run, "--seconds=0"], cwd=ROOT, env=environment, check=False
    ).returncode
    assert status == 2
