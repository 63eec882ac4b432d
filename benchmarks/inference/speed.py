"""Time and memory of carved libraries, compared with TensorFlow and TensorFlow Lite.

    PYTHONPATH=tools:tests:. python -m benchmarks.inference.speed -o benchmarks/results/SPEED.md

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu. It builds each library by the rules in a
copy of tests/e2e/bzlmod and then takes about twenty minutes. Without options it measures all models on x86-64, and
Inception v3 on ARM. Writes Markdown.

On x86-64 the libraries run in turns, round after round, so that other load affects all of them alike. ARM is emulated,
where times are meaningless: there it counts the instructions of one run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import workspaces
from benchmarks.inference import alternating_runs, carved, instructions, speed_text
from benchmarks.inference.carved import CarvedPair
from benchmarks.inference.speed_table import Instructions, Speed
from bootstrap.console import BootstrapError
from demo.nested import NestedError
from tfcarve.app.workspace import BuildError, Workspace
from tfcarve.errors import TfcarveError

MODELS = (
    "inception_v3",
    "mobilenet_v2",
    "resnet_50",
    "efficientnet_b0",
    "lstm_256",
    "transformer",
    "audio_cnn",
)
_TIMED = "linux_x86_64"
PLATFORMS = (_TIMED, *instructions.CPUS)
# The models whose instructions are counted by default: each takes minutes.
_COUNTED = MODELS[:1]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.inference.speed", description=__doc__
    )
    for option, values in (("model", MODELS), ("platform", PLATFORMS)):
        parser.add_argument(
            f"--{option}",
            action="append",
            choices=values,
            dest=f"{option}s",
            help=f"measure only this {option}; may be repeated",
        )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write to FILE instead of standard output"
    )
    return parser


def _log(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _timed(built: Mapping[str, CarvedPair]) -> Iterator[Speed]:
    for name, carved_pair in built.items():
        for threads in alternating_runs.THREADS:
            for speed in alternating_runs.speeds(name, carved_pair, threads):
                _log(f"{name}, {threads} threads: {speed.library.value}: {speed.cpu:.2f} ms")
                yield speed


def _counted(workspace: Workspace, platform: str, names: Sequence[str]) -> Iterator[Instructions]:
    native = carved.build(workspace, _TIMED, names)
    for name, carved_pair in carved.build(workspace, platform, names).items():
        multiply_adds = native[name].frozen.multiply_adds()
        row = instructions.counted(platform, name, carved_pair.prepared, multiply_adds)
        _log(f"{name}, {platform}: {row.tfcarve:,} and {row.lite:,} instructions")
        yield row


def _measured(
    platforms: Sequence[str], names: Sequence[str]
) -> tuple[list[Speed], list[Instructions]]:
    speeds: list[Speed] = []
    rows: list[Instructions] = []
    with workspaces.opened("speed") as workspace:
        for platform in platforms:
            if platform == _TIMED:
                speeds += _timed(carved.build(workspace, platform, names or MODELS))
            else:
                rows += _counted(workspace, platform, names or _COUNTED)
    return speeds, rows


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 if a library cannot run its model; 2 if something cannot be built, downloaded or run."""
    arguments = _parser().parse_args(argv)
    try:
        speeds, rows = _measured(arguments.platforms or PLATFORMS, arguments.models or ())
    except (BootstrapError, BuildError, NestedError, TfcarveError) as error:
        _log(f"speed: {error}")
        return error.exit_status if isinstance(error, TfcarveError) else 2
    except subprocess.CalledProcessError as error:
        _log(f"speed: {error}")
        return 2
    text = speed_text.text(speeds, rows)
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
