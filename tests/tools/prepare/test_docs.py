"""docs/transforms.md: its commands are valid, and its tables have all transforms and the figures of the benchmark page."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tfcarve.cli import parser
from tfcarve.prepare import pipeline, presets, transforms
from tfcarve.prepare.transform_list import parse


@pytest.fixture
def text() -> str:
    return Path(os.environ["RUNFILES_DIR"], os.environ["TRANSFORMS_MD"]).read_text(encoding="utf-8")


def test_commands(text: str) -> None:
    lines = [
        line
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
    ]
    assert len(lines) == 3
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "tfcarve"
        arguments = parser().parse_args(words)
        if arguments.preset is None:
            pipeline.require(parse(arguments.transforms))
        else:
            assert presets.preset(arguments.preset)


def test_table_has_all_transforms(text: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|", text, re.MULTILINE)
    assert tuple(name for name, _ in rows) == transforms.NAMES
    for name, parameters in rows:
        assert set(re.findall(r"`(\w+)`", parameters)) == transforms.load(name).PARAMETERS


def test_names_are_those_of_modules() -> None:
    folder = Path(transforms.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(transforms.NAMES) == modules
    assert list(transforms.NAMES) == sorted(modules)
    assert modules > transforms.WITHOUT_TENSORFLOW
