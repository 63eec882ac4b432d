"""Measures the recipes of docs/recipes.md on current models: bytes, gzipped bytes and output differences.

    PYTHONPATH=tools:tests:. python -m benchmarks.preparation.recipes -o benchmarks/results/RECIPES.md

in the repository's root, with a Python that has the release's tensorflow-cpu. Takes about ten minutes.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import measure
from benchmarks.page import head
from benchmarks.preparation import prepare
from demo import cached_models
from demo.library import largest_difference
from tfcarve import files
from tfcarve.errors import TfcarveError

_MODELS = ("inception_v3", "resnet_50", "mobilenet_v2")
_PAGE = Path(__file__).parents[2] / "docs/recipes.md"
_SOURCE = "frozen graph"
# The input shape of the guides' model; it is replaced with that of each model.
_SHAPE = "1,299,299,3"


@dataclass(frozen=True)
class Made:
    """A model after a recipe.

    Attributes:
      model: its name.
      recipe: the title of its section in docs/recipes.md.
      bytes: the size of the file.
      packed: the size of the file after gzip -6.
      difference: the largest difference of the output from the source's.
    """

    model: str
    recipe: str
    bytes: int
    packed: int
    difference: float


def recipes(page: str) -> Mapping[str, str]:
    """Returns the list of transforms of each section that has one."""
    found = {}
    for section in page.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        for line in re.findall(r"^tfcarve transform .*$", section, re.MULTILINE):
            words = shlex.split(line)
            found[title] = words[words.index("--transforms") + 1]
    return found


def _made(name: str, folder: Path) -> Iterator[Made]:
    made = cached_models.load(name)
    expected = prepare.output_of(made.model, made.input, folder)
    assert expected is not None

    def measured(recipe: str, file: Path) -> Made:
        output = prepare.output_of(file, made.input, folder)
        assert output is not None, f"{name}: TensorFlow does not run what {recipe!r} makes"
        data = file.read_bytes()
        packed = len(gzip.compress(data, 6))
        return Made(name, recipe, len(data), packed, largest_difference(output, expected))

    yield measured(_SOURCE, made.model)
    shape = ",".join(map(str, np.load(made.input).shape))
    for recipe, transforms in recipes(_PAGE.read_text(encoding="utf-8")).items():
        file = folder / "made.pb"
        how = ["--transforms", transforms.replace(_SHAPE, shape)]
        prepare.transform(made.model, file, how)
        yield measured(recipe, file)
        print(f"{name}: {recipe}", file=sys.stderr, flush=True)


def table(rows: Sequence[Made]) -> str:
    """Returns a row for each model and recipe."""
    cells = [
        [r.model, r.recipe, f"{r.bytes:,}", f"{r.packed:,}", f"{r.difference:.1e}"] for r in rows
    ]
    return measure.markdown(["Model", "Recipe", "Bytes", "gzip", "Largest difference"], cells)


_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.preparation.recipes -o benchmarks/results/RECIPES.md"


def text(machine: str, rows: Sequence[Made]) -> str:
    """Returns the page."""
    return "\n".join(
        (
            head("Recipes", _COMMAND, machine),
            "The command lines of docs/recipes.md, with the input shape of each model. Weights and batch normalizations are",
            "random. Outputs are probabilities of 1,000 classes.\n",
            table(rows),
            "",
        )
    )


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a model can't be created or run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.preparation.recipes", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            rows = [row for name in _MODELS for row in _made(name, Path(scratch))]
    except (TfcarveError, subprocess.CalledProcessError) as error:
        print(f"recipes: {error}", file=sys.stderr)
        return 2
    files.write_if_changed(arguments.output, text(measure.machine(), rows).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
