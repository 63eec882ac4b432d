"""`tfcarve size-predict`: what a library is going to come to, before it is built."""

import argparse
import json
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common
from tfcarve.errors import InvalidInput
from tfcarve.size import history

NAME = "size-predict"
HELP = "predicts a library's size from the units that earlier ones had, before it is built"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument("--platform", required=True, metavar="NAME", help="as linux_arm64")
    parser.add_argument("--json", action="store_true", help="prints JSON")


def _newest(platform: str) -> Path:
    """What is kept of the platform's library that was measured last: with the flags in use."""
    folder = history.path(platform, "x").parent
    found = sorted(folder.glob(f"{platform}-*.json"), key=lambda f: f.stat().st_mtime)
    if not found:
        raise InvalidInput(
            f"no library for {platform} was measured yet: `tfcarve size LIBRARY` keeps what units come to"
        )
    return found[-1]


def run(arguments: argparse.Namespace) -> int:
    """Prints the prediction and how good those before were."""
    selection = common.load_selection(arguments.selection)
    path = _newest(arguments.platform)
    known = history.load(path)
    prediction = history.predict(known, selection)
    files.write_if_changed(path, history.to_json(history.remember(known, selection, prediction)))
    if arguments.json:
        document = {
            "stripped": prediction.stripped,
            "files": dict(prediction.files),
            "guessed": list(prediction.guessed),
            "to_compile": prediction.to_compile,
            "errors": list(prediction.errors),
        }
        print(json.dumps(document, indent=1))
        return 0
    print(f"{arguments.platform}: about {prediction.stripped:,} bytes, stripped")
    print(f"units: {len(prediction.files)}, of which {prediction.to_compile} are to be compiled")
    for file in prediction.guessed:
        print(f"  {file}: guessed to be {prediction.files[file]:,} bytes")
    if prediction.errors:
        worst = max(abs(error) for error in prediction.errors)
        print(f"past predictions: {len(prediction.errors)}, off by {worst:.2%} at most;", end=" ")
        print("last: " + ", ".join(f"{error:+.2%}" for error in prediction.errors[-5:]))
    else:
        print("no prediction was held against a library yet")
    return 0
