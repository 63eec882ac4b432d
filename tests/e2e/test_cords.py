"""Cords of a carved library, which has tfcarve's sources in place of those that sample cords."""

from __future__ import annotations

import subprocess

from e2e import app_workspace

_PROGRAM = "//cords:cords"


def test_texts() -> None:
    with app_workspace.opened() as workspace:
        (program,) = workspace.build([_PROGRAM]).files(_PROGRAM)
        done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert done.stdout == "0\n"
