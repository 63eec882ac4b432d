"""Each target has the modules that its sources need."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tree import ROOT
from imports.needed import Needed
from imports.update import TABLES, tables


def test_tables_are_up_to_date() -> None:
    written = {name: (ROOT / name).read_text(encoding="utf-8") for name in TABLES}
    assert written == tables(ROOT), "run: PYTHONPATH=tests python -m imports.update"


_TREE = {
    "tools/tfcarve/__init__.py": "",
    "tools/tfcarve/cli.py": "from tfcarve import commands",
    "tools/tfcarve/__main__.py": "from tfcarve.cli import main",
    "tools/tfcarve/commands/__init__.py": 'NAMES = ("one", "other-one")',
    "tools/tfcarve/commands/one.py": "from tfcarve.models.read import read",
    "tools/tfcarve/commands/other_one.py": "",
    "tools/tfcarve/models/__init__.py": "",
    "tools/tfcarve/models/read.py": 'PROGRAM = "tfcarve.models.program"',
    "tools/tfcarve/models/program.py": "def main() -> None:\n    import tfcarve.models.late",
    "tools/tfcarve/models/late.py": "",
    "tools/tfcarve/prepare/__init__.py": "",
    "tools/tfcarve/prepare/pipeline.py": "from tfcarve.prepare import transforms",
    "tools/tfcarve/prepare/transforms/__init__.py": "",
    "tools/tfcarve/prepare/transforms/fold.py": "",
    "tests/helpers/calls.py": 'from tfcarve.cli import main\nmain(["other-one", "x"])',
    "tests/it/conftest.py": "import tfcarve.models.late",
    "tests/it/test_conftest.py": "",
    "tests/a/test_helper.py": "from calls import main",
    "tests/a/test_own.py": "from helpers.calls import main\nmain(['one'])",
    "tests/a/test_program.py": "words = ['-m', 'tfcarve', *['one']]",
    "tests/a/a.py": "",
    "tests/a/other.py": "from tfcarve.models import read",
    "tests/a/test_all.py": "from tfcarve.cli import parser",
    "tests/a/test_each.py": "from tfcarve import commands\ncommands.NAMES",
    "tests/a/test_module_named_as_its_folder.py": "from a import other",
    "tests/a/test_helpers_program.py": "words = ['-m', 'helpers.program']",
    "tests/helpers/program.py": "import tfcarve.models.late",
    "tests/a/test_nothing.py": "import json\nassert 'one'",
    "tests/a/test_pipeline.py": "from tfcarve.prepare.pipeline import run",
}


@pytest.fixture(name="needed")
def _needed(tmp_path: Path) -> Needed:
    for name, text in _TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Needed(tmp_path)


def test_modules_of_tests(needed: Needed) -> None:
    assert needed.all() == {
        "tests/a/test_all.py": ["cli", "commands/one", "commands/other_one"],
        "tests/a/test_each.py": ["commands/__init__", "commands/one", "commands/other_one"],
        "tests/a/test_helper.py": ["cli", "commands/other_one"],
        "tests/a/test_helpers_program.py": ["models/late"],
        "tests/a/test_module_named_as_its_folder.py": ["models/read"],
        "tests/a/test_own.py": ["cli", "commands/one", "commands/other_one"],
        "tests/a/test_pipeline.py": ["prepare/pipeline"],
        "tests/a/test_program.py": ["__main__", "commands/one"],
        "tests/it/test_conftest.py": ["models/late"],
    }


def test_modules_of_modules(needed: Needed) -> None:
    """Also those that are imported in a function, started as a program, or imported by name."""
    modules = needed.modules()
    assert modules["models/read"] == ["models/program"]
    assert modules["models/program"] == ["models/late"]
    assert modules["prepare/pipeline"] == ["prepare/transforms/__init__", "prepare/transforms/fold"]
    assert modules["cli"] == ["commands/__init__"]
