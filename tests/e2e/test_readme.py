"""The README's commands are those that tests run."""

from __future__ import annotations

import os
from pathlib import Path

from docs.blocks import blocks, lines

ROOT = Path(os.environ["RUNFILES_DIR"]) / "_main"
README = (ROOT / "README.md").read_text(encoding="utf-8")

# Each command of the README to the file that runs it.
RUN_BY = {
    "./bazelw run //:demo": "tests/e2e/test_demo.py",
    "./bazelw test //...": ".ci/run",
}


def test_commands_are_run_by_a_test() -> None:
    commands = [
        line for block in blocks(README) if block.kind == "sh" for line in lines(block.text)
    ]
    assert sorted(commands) == sorted(RUN_BY)
    for command, runner in RUN_BY.items():
        target = command.split()[-1]
        assert target in (ROOT / runner).read_text(encoding="utf-8"), f"{runner}: no {target}"
