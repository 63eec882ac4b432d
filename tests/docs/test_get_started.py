"""docs/get-started.md: its commands, run in one shell as a reader runs them, print what is shown."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from docs.blocks import blocks, commands
from docs.tree import ROOT

_MARK = "@@@"


def _outputs(texts: list[str], folder: Path) -> list[str]:
    script = f"\necho '{_MARK}'\n".join(["set -eu", *texts])
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        check=False,
        cwd=ROOT,
        env={
            name: value
            for name, value in (os.environ | {"TMPDIR": str(folder)}).items()
            if not name.startswith(("PYTHON", "TEST", "BUILD"))
        },
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return [part.lstrip("\n") for part in done.stdout.split(f"{_MARK}\n")[1:]]


def test_commands_print_what_is_shown(tmp_path: Path) -> None:
    pairs = commands(blocks((ROOT / "docs/get-started.md").read_text(encoding="utf-8")))
    assert len(pairs) == 5
    outputs = _outputs([text for text, _ in pairs], tmp_path)
    for (text, shown), output in zip(pairs, outputs, strict=True):
        if shown:
            assert shown == output, text
