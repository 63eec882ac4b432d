"""Models that Keras 3 saves, in one carved library, compared with Keras.

    PYTHONPATH=tools:tests:. python -m benchmarks.models.keras3 --keras3 PYTHON -o benchmarks/results/KERAS3.md

in the repository's root, with the Python environment of the tests (third_party/python/dev.txt). PYTHON is the interpreter of an
environment with third_party/python/keras.txt. //tests/keras3:test_library checks the same results.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import measure, workspaces
from benchmarks.page import head
from bootstrap.console import BootstrapError
from demo.nested import NestedError
from keras3 import in_library
from keras3.names import NAMES
from keras3.samples import Programs, Sample, samples
from keras3.tolerances import tolerance
from tfcarve import files
from tfcarve.app.workspace import BuildError
from tfcarve.models import read

_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.models.keras3 --keras3 PYTHON -o benchmarks/results/KERAS3.md"
_INTRODUCTION = """\
Keras 3 saves each model of `tests/keras3/architectures.py` as a `.keras` file, and TensorFlow saves each of
`tests/keras3/modules.py` as a SavedModel. `tfcarve freeze` freezes them. Both use the TensorFlow of
`third_party/python/keras.txt`. One library for all of them is carved for linux_x86_64. The outputs for one random input are
compared with those of Keras and TensorFlow. A difference is the largest |actual - expected| / (1 + |expected|).
"""


def _table(models: Sequence[Sample], found: dict[str, float]) -> str:
    rows = [["Model", "Ops", "Nodes", "Largest difference"], ["---"] * 4]
    for one in models:
        nodes = list(read.read(one.graph).nodes)
        ops = {node.op for node in nodes}
        rows.append([one.name, str(len(ops)), str(len(nodes)), f"{found[one.name]:.1e}"])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, 1 if an output differs by more than the tolerance, or 2 if a build fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models.keras3", description=__doc__)
    parser.add_argument("--keras3", required=True, metavar="PYTHON")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    programs = Programs(
        (arguments.keras3, "-m", "keras3.save"), (arguments.keras3, "-m", "tfcarve")
    )
    os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, ("tools", "tests")))
    try:
        with tempfile.TemporaryDirectory() as scratch, workspaces.opened("public") as workspace:
            models = list(samples(programs, Path(scratch), NAMES))
            built = in_library.build(workspace, models)
            found = {
                one.name: in_library.largest(in_library.run(built, one), one) for one in models
            }
            table = _table(models, found)
            size = built.shared.stat().st_size
    except (BootstrapError, BuildError, NestedError, RuntimeError) as error:
        print(f"keras3: {error}", file=sys.stderr)
        return 2
    text = f"The stripped library for all models has {size:,} bytes.\n"
    page = (head("Models of Keras 3", _COMMAND, measure.machine()), _INTRODUCTION, table, text)
    files.write_if_changed(arguments.output, "\n".join(page).encode())
    wrong = {name: each for name, each in found.items() if each > tolerance(name)}
    for name, each in wrong.items():
        print(f"keras3: {name} differs by {each:.1e}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
