"""Public models in one carved library, compared with full TensorFlow.

    PYTHONPATH=tools:tests:. python -m benchmarks.models.public_models -o benchmarks/results/PUBLIC_MODELS.md

in the repository's root, with the Python environment of the tests (third_party/python/dev.txt). //tests/full:test_public_models
checks the same results. The rules build the libraries in a copy of tests/e2e/bzlmod; this takes half an hour on two cores if
TensorFlow's core is already built.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks import measure, workspaces
from benchmarks.page import head
from bootstrap.console import BootstrapError
from demo.nested import NestedError
from public import results
from public.models import MODELS
from public.results import Result
from tfcarve import files
from tfcarve.app.workspace import BuildError

_COMMAND = "PYTHONPATH=tools:tests:. python -m benchmarks.models.public_models -o benchmarks/results/PUBLIC_MODELS.md"
_INTRODUCTION = """\
Each model is frozen by `tfcarve freeze`, and one library for all of them is carved. The outputs are compared with those of the
original in full TensorFlow, for one random input (source code for guesslang). A difference is the largest |actual - expected| /
(1 + |expected|); the default tolerance of `tf_model_test` is 1e-5. The last column compares TensorFlow with itself. The Keras
applications have random weights, the other models their own.
"""


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, 1 if an output differs by more than the tolerance, or 2 if a build fails."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.models.public_models", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    arguments = parser.parse_args(argv)
    found: dict[tuple[str, str], Result] = {}
    sizes = []
    try:
        with tempfile.TemporaryDirectory() as scratch, workspaces.opened("public") as workspace:
            samples = [results.sample(name, Path(scratch)) for name in MODELS]
            for platform in results.PLATFORMS:
                built = results.build(workspace, platform, samples)
                sizes.append(f"{built.shared.stat().st_size:,} bytes for {platform}")
                found |= {(one.name, platform): results.run(built, one) for one in samples}
    except (BootstrapError, BuildError, NestedError) as error:
        print(f"public_models: {error}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as error:
        print(f"public_models: {error}: {error.stderr}", file=sys.stderr)
        return 2
    problems = [f"{key}: {result.problem}" for key, result in found.items() if result.problem]
    ops = len({op for one in samples for op in one.ops})
    size = f"The stripped library has {' and '.join(sizes)}; the models have {ops} different ops.\n"
    parts = (
        head("Public models", _COMMAND, measure.machine()),
        _INTRODUCTION,
        results.table(samples, found),
        size,
    )
    files.write_if_changed(arguments.output, "\n".join(parts).encode())
    for problem in problems:
        print(f"public_models: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
