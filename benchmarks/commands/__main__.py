"""Measures tfcarve's commands and writes RESULTS.md.

    PYTHONPATH=tools python -m benchmarks.commands --tensorflow DIR

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from benchmarks import measure, page
from benchmarks.commands import compile_unit, index_tree, select_graph

_COMMAND = "PYTHONPATH=tools python -m benchmarks.commands --tensorflow DIR"


def main() -> int:
    """Runs the benchmarks; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    parser.add_argument(
        "--tensorflow",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder that contains tensorflow/",
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=page.RESULTS / "RESULTS.md", metavar="FILE"
    )
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2] / "tools")
    machine = measure.machine()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tree = arguments.tensorflow.absolute()
        rows = index_tree.rows(tree, scratch)
        rows += select_graph.rows(scratch)
        rows += compile_unit.rows(tree, scratch)
    conditions = "tfcarve and the reference ran in turns: compare the ratios, not the seconds."
    table = measure.markdown(
        ("What", "tfcarve", "Reference", "Ratio"),
        [(r.what, r.tfcarve, r.reference or "-", r.ratio or "-") for r in rows],
    )
    head = page.head("Time and memory of tfcarve's commands", _COMMAND, machine, conditions)
    arguments.output.write_text(f"{head}\n{table}\n")
    print(arguments.output.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
