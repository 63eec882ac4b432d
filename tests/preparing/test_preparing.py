"""Models are prepared by each of these releases of TensorFlow: docs/prepare.md has the table."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

_PROGRAMS = dict(pair.split("=", 1) for pair in os.environ["PROGRAMS"].split())
_EXACT, _INT8 = 1e-6, 0.1


def _table() -> dict[str, str]:
    """The tested releases of the page: of TensorFlow, and of Keras."""
    page = Path(os.environ["RUNFILES_DIR"], os.environ["PREPARE_MD"]).read_text(encoding="utf-8")
    return dict(re.findall(r"^\| (2\.\d+\.\d+) \| (\d+\.\d+\.\d+) \|$", page, re.MULTILINE))


@pytest.mark.parametrize("release", _PROGRAMS)
def test_models_are_prepared(tmp_path: Path, release: str) -> None:
    program = os.path.join(os.environ["RUNFILES_DIR"], _PROGRAMS[release])
    done = subprocess.run([program, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["tensorflow"].startswith(f"{release}.")
    assert _table()[report["tensorflow"]] == report["keras"]
    for source, differences in report["differences"].items():
        int8 = differences.pop("int8")
        assert 0 < int8 < _INT8, source
        assert max(differences.values()) < _EXACT, source


def test_all_releases_of_the_table_are_tested() -> None:
    assert {version.rpartition(".")[0] for version in _table()} == set(_PROGRAMS)
