"""`log_messages = False`: what TensorFlow logs is not in the library, the errors that it returns are."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from demo.nested import Workspace
from e2e import app_workspace

_TARGETS = {"with": "//:tensorflow", "without": "//options:without_log_messages"}
# A log message and a failed CHECK name the source that they stand in.
_SOURCE = re.compile(rb"tensorflow/(?:core|tsl)/[\w/]+\.(?:cc|h)\0")


@pytest.fixture(scope="module", name="made")
def _made() -> Iterator[tuple[Workspace, Mapping[str, Mapping[str, Path]]]]:
    """The app, and of each library the shared library and the program that runs a model."""
    with app_workspace.opened() as workspace:
        groups = "--output_groups=default,runner"
        found = {}
        for name, target in _TARGETS.items():
            build = workspace.build([target], [groups])
            files = [*build.files(target), *build.files(target, "runner")]
            found[name] = {file.name: file for file in files}
        yield workspace, found


def test_no_message_is_left(made: tuple[Workspace, Mapping[str, Mapping[str, Path]]]) -> None:
    data = {name: f["libtensorflow-core.so"].read_bytes() for name, f in made[1].items()}
    assert len(data["without"]) < len(data["with"])
    failed = {name: content.count(b"Check failed") for name, content in data.items()}
    assert failed["with"] > 50
    assert failed["without"] == 0
    # Registrations name theirs, too.
    sources = {name: len(set(_SOURCE.findall(content))) for name, content in data.items()}
    assert sources["without"] < sources["with"] / 2


def test_an_error_keeps_its_text(
    made: tuple[Workspace, Mapping[str, Mapping[str, Path]]], tmp_path: Path
) -> None:
    workspace, found = made
    given = tmp_path / "given.npy"
    np.save(given, np.zeros((1, 3), np.float32))
    said = []
    for files in found.values():
        command = [files["run_model"], workspace.folder / "tiny.pb", f"--input=input={given}"]
        output = f"--output=output={tmp_path / 'got.npy'}"
        done = subprocess.run([*command, output], check=False, text=True, capture_output=True)
        assert done.returncode == 1
        said.append([line for line in done.stderr.splitlines() if "Matrix size" in line])
    assert said[0] == said[1] != []
