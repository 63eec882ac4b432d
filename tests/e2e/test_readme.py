"""The README's commands are those that tests run."""

from __future__ import annotations

import os
from pathlib import Path

from docs.blocks import blocks, lines

ROOT = Path(os.environ["RUNFILES_DIR"]) / "_main"
README = (ROOT / "README.md").read_text(encoding="utf-8")

# Each command of the README to the file that runs it, and a text in that file.
RUN_BY = {
    "./bazelw run //:demo": ("tests/e2e/test_demo.py", "//:demo"),
    "./bazelw test //...": (".ci/run", "//..."),
    "tfcarve build model.pb --platform linux_arm64 -o out": (
        "tests/e2e/test_build_command.py",
        '"tfcarve", "build", "net.pb", "-o", "out"',
    ),
    "tfcarve wheel out/linux_arm64/libtensorflow-core.so --model out/models/model.pb --name my_model -o dist": (
        "tests/python_wheel/test_python_wheel.py",
        '"wheel", str(library), *words, f"--name={name}"',
    ),
}


def test_commands_are_run_by_a_test() -> None:
    commands = [
        line for block in blocks(README) if block.kind == "sh" for line in lines(block.text)
    ]
    assert sorted(commands) == sorted(RUN_BY)
    for runner, text in RUN_BY.values():
        assert text in (ROOT / runner).read_text(encoding="utf-8"), f"{runner}: no {text}"
