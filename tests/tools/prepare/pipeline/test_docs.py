"""docs/transforms.md: valid commands, a table of all transforms, and the figures of the benchmark page."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tfcarve.cli import parser
from tfcarve.prepare import transforms
from tfcarve.prepare.pipeline import pipeline, presets
from tfcarve.prepare.pipeline.transform_list import parse

_FILES = {"TRANSFORMS_MD": "docs/transforms.md", "PREPARE_MD": "benchmarks/results/PREPARE.md"}


def _read(key: str) -> str:
    if key in os.environ:
        path = Path(os.environ["RUNFILES_DIR"], os.environ[key])
    else:
        path = Path(__file__).parents[4] / _FILES[key]
    return path.read_text(encoding="utf-8")


@pytest.fixture
def text() -> str:
    return _read("TRANSFORMS_MD")


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


def test_figures_are_those_of_the_benchmark_page(text: str) -> None:
    page = _read("PREPARE_MD")
    figures = {
        (model, tool): (nodes, size)
        for model, tool, nodes, size in re.findall(
            r"^\| (\w+) \| (source|`mobile`|Grappler) \| ([\d,]+) \| ([\d,]+) \|",
            page,
            re.MULTILINE,
        )
    }
    number = r" ([\d,]+) \|"
    rows = re.findall(rf"^\| ([\w -]+?)(?: \(.*\))? \|{number * 5}$", text, re.MULTILINE)
    names = [title.lower().replace(" ", "_").replace("-", "_") for title, *_ in rows]
    assert sorted(names) == sorted({model for model, _ in figures})
    for name, (_, *shown) in zip(names, rows, strict=True):
        assert tuple(shown[:4]) == (*figures[name, "source"], *figures[name, "`mobile`"])
    words = " ".join(text.split())
    *counts, last = (figures[name, "Grappler"][0] for name in names)
    assert f"leave {', '.join(counts)} and {last} nodes" in words
    for program in ("tfcarve transform", "transform_graph"):
        ((wall, peak),) = re.findall(
            rf"^\| `{program}` \| ([^|]+) \| [^|]+ \| ([^|]+) \|", page, re.MULTILINE
        )
        assert f"{wall} and {peak}" in words
