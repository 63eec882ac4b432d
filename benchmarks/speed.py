"""How fast carved libraries run, and in how much memory, next to TensorFlow and TensorFlow Lite.

    PYTHONPATH=tools:tests:. python -m benchmarks.speed -o benchmarks/SPEED.md

in the repository's folder, with a Python that has tensorflow-cpu 2.14.1, some twenty minutes after the libraries are
built. Without options: all models on x86-64, and Inception v3 on ARM. Writes Markdown.

On x86-64 all libraries run in turns, round after round, so that what else the machine does meets all alike. ARM
is emulated, where times say nothing: there the instructions of one run are counted. Each library is built by the
rules in a copy of tests/e2e/bzlmod.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import carved, instructions, speed_text, turns, workspaces
from benchmarks.carved import Both
from benchmarks.speed_table import Instructions, Speed
from bootstrap.console import BootstrapError
from demo.nested import BuildError, NestedError, Workspace
from tfcarve.errors import TfcarveError

MODELS = ("inception_v3", "mobilenet_v2", "resnet_50", "lstm_256", "transformer", "audio_cnn")
_TIMED = "linux_x86_64"
PLATFORMS = (_TIMED, *instructions.CPUS)
# The models whose instructions are counted where nothing else is asked for: it takes minutes for each.
_COUNTED = MODELS[:1]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    for option, values in (("model", MODELS), ("platform", PLATFORMS)):
        parser.add_argument(
            f"--{option}",
            action="append",
            choices=values,
            dest=f"{option}s",
            help=f"only this {option}; may be repeated",
        )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write here, not to standard output"
    )
    return parser


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _timed(built: Mapping[str, Both]) -> Iterator[Speed]:
    for name, own in built.items():
        for threads in turns.THREADS:
            for speed in turns.speeds(name, own, threads):
                _say(f"{name}, {threads} threads: {speed.library.value}: {speed.cpu:.2f} ms")
                yield speed


def _counted(workspace: Workspace, platform: str, names: Sequence[str]) -> Iterator[Instructions]:
    here = carved.build(workspace, _TIMED, names)
    for name, own in carved.build(workspace, platform, names).items():
        multiply_adds = here[name].frozen.multiply_adds()
        row = instructions.counted(platform, name, own.prepared, multiply_adds)
        _say(f"{name}, {platform}: {row.ours:,} and {row.lite:,} instructions")
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
    """Exit status 0; 1 where a library can't run its model; 2 where something can't be built, had or run."""
    asked = _parser().parse_args(argv)
    try:
        speeds, rows = _measured(asked.platforms or PLATFORMS, asked.models or ())
    except (BootstrapError, BuildError, NestedError, TfcarveError) as error:
        _say(f"speed: {error}")
        return error.exit_status if isinstance(error, TfcarveError) else 2
    except subprocess.CalledProcessError as error:
        _say(f"speed: {error}")
        return 2
    text = speed_text.text(speeds, rows)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
