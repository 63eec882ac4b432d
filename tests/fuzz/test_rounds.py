"""What the record says of the fuzzer's runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fuzz import record, rounds
from fuzz.readers import READERS, read
from fuzz.record import Ran, Run

ROOT = Path(os.environ["RUNFILES_DIR"]) / "_main"
_ROW = Ran("abc", cases=1000, finds=1, cases_since_find=400, date="2026-01-01")


@pytest.fixture
def other_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """tfcarve's Python files, copied, as those that the record is about."""
    for file in {file for name in READERS for file in record.files(name)}:
        copy = tmp_path / file.relative_to(record._TOOLS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    monkeypatch.setattr(record, "_TOOLS", tmp_path)
    monkeypatch.setattr(record, "RAN", tmp_path / "ran.json")
    return tmp_path


def test_runs_add_up() -> None:
    found_nothing = record.after(_ROW, Run(300, 0), "2026-01-02")
    assert found_nothing == Ran("abc", 1300, 1, 700, "2026-01-02")
    assert record.after(found_nothing, Run(10, 2), "2026-01-03") == Ran(
        "abc", 1310, 3, 0, "2026-01-03"
    )


def test_other_sources_start_from_zero() -> None:
    assert record.so_far(_ROW, "abc") is _ROW
    assert record.so_far(_ROW, "def") == Ran("def")


@pytest.mark.parametrize("name", sorted(READERS))
def test_what_a_reader_runs_is_among_its_sources(name: str) -> None:
    ran: set[Path] = set()
    package = str(record._TOOLS / "tfcarve")
    before = sys.getprofile()
    sys.setprofile(lambda frame, *_: ran.add(Path(frame.f_code.co_filename)))
    try:
        for seed in READERS[name].seeds:
            read(name, seed)
    finally:
        sys.setprofile(before)
    own = {file for file in ran if str(file).startswith(package)}
    assert own and own <= set(record.files(name))


def test_a_changed_source_resets_the_readers_that_use_it(other_tools: Path) -> None:
    rows = {name: replace(_ROW, sources=row.sources) for name, row in record.load().items()}
    record.save(rows)
    assert record.load() == rows
    wire = other_tools / "tfcarve/models/wire.py"
    wire.write_text(wire.read_text() + "\n# changed\n")
    reset = {name for name, row in record.load().items() if not row.cases}
    assert {"graph_def", "saved_model", "tflite"} <= reset
    assert reset.isdisjoint({"index", "build_file", "skeleton"})


def test_the_kept_record_can_be_read() -> None:
    assert set(json.loads(record.RAN.read_bytes())) == set(record.load()) == set(READERS)


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
def test_files_far_from_each_other(files: int, most: int, taken: list[int]) -> None:
    paths = [Path(str(i)) for i in range(files)]
    assert [int(path.name) for path in rounds.spread(paths, most)] == taken


def _documented() -> list[list[str]]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [shlex.split(line) for line in re.findall(r"^    (.*\bfuzz\.rounds\b.*)$", text, re.M)]


def test_the_documented_command_runs(tmp_path: Path) -> None:
    """Up to the first reader: none gets an input."""
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
    # The control: what the command does not know.
    status = subprocess.run(
        [*run, "--seconds=0"], cwd=ROOT, env=environment, check=False
    ).returncode
    assert status == 2
