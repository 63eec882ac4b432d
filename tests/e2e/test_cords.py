"""Cords of a carved library, which has tfcarve's sources in place of those that sample cords."""

from __future__ import annotations

import subprocess

from built import published


def test_texts() -> None:
    (program,) = published.of("shared").files("//cords:cords")
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert done.stdout == "0\n"
