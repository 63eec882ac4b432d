"""Runs all benchmarks and writes RESULTS.md.

    PYTHONPATH=tools python -m benchmarks --tensorflow DIR

in the repository's folder, with a Python that has tensorflow-cpu 2.14.1.
"""

import argparse
import datetime
import os
import sys
import tempfile
from pathlib import Path

from benchmarks import compile_unit, index_tree, measure, select_graph

_HERE = Path(__file__).parent


def main() -> int:
    """Measures and writes; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--tensorflow",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder that holds tensorflow/",
    )
    parser.add_argument("-o", "--output", type=Path, default=_HERE / "RESULTS.md", metavar="FILE")
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = str(_HERE.parent / "tools")
    machine = measure.machine()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tree = arguments.tensorflow.absolute()
        rows = index_tree.rows(tree, scratch)
        rows += select_graph.rows(scratch)
        rows += compile_unit.rows(tree, scratch)
    lines = [
        "# What it takes",
        "",
        f"Measured on {datetime.date.today().isoformat()}: {machine}.",
        "Ours and the peer's in the same run; compare the ratios, not the seconds.",
        "",
        "    PYTHONPATH=tools python -m benchmarks --tensorflow DIR",
        "",
        measure.markdown(
            ("What", "tfcarve", "Peer", "Ratio"),
            [(r.what, r.ours, r.peer or "-", r.ratio or "-") for r in rows],
        ),
    ]
    arguments.output.write_text("\n".join(lines) + "\n")
    print(arguments.output.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
