"""py_tool as a tool of an action and as data of another program."""

import json
import os
import subprocess
from pathlib import Path

RUNFILES = Path(os.environ["RUNFILES_DIR"])
EXPECTED = {
    "arguments": ["one two", "three"],
    "data": "some data",
    "hash_seed": "0",
    "imported": "console.py",
    "user_site": False,
}


def test_as_tool_of_an_action() -> None:
    assert json.loads((RUNFILES / "_main/tests/bootstrap/echoed.txt").read_text()) == EXPECTED


def test_as_data_of_a_program() -> None:
    done = subprocess.run(
        [RUNFILES / os.environ["ECHO"], "one two", "three"],
        cwd="/",
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == EXPECTED
