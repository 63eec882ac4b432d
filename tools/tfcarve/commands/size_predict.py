"""`tfcarve size-predict`: predicts a library's size before it is built."""

import argparse
from pathlib import Path

from tfcarve import files, json_codec
from tfcarve.commands import common
from tfcarve.errors import InvalidInput
from tfcarve.size import history

NAME = "size-predict"
HELP = "predicts a library's size before it is built, from the size history of earlier libraries"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--platform", required=True, metavar="NAME", help="name of the platform, e.g. linux_arm64"
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")


def run(arguments: argparse.Namespace) -> int:
    """Prints the prediction, and the errors of earlier ones."""
    selection = common.load_selection(arguments.selection)
    path = _newest(arguments.platform)
    known = history.load(path)
    prediction = history.predict(known, selection)
    remembered = history.remember(known, selection, prediction)
    files.write_if_changed(path, json_codec.encode(remembered))
    if arguments.json:
        document = {
            "stripped": prediction.stripped,
            "files": prediction.files,
            "guessed": prediction.guessed,
            "to_compile": prediction.to_compile,
            "errors": prediction.errors,
        }
        common.output(json_codec.encode(document), None)
        return 0
    print(f"{arguments.platform}: about {prediction.stripped:,} bytes, stripped")
    print(f"units: {len(prediction.files)}; {prediction.to_compile} of them must be compiled")
    for file in prediction.guessed:
        print(f"  {file}: estimated at {prediction.files[file]:,} bytes")
    if prediction.errors:
        worst = max(abs(error) for error in prediction.errors)
        print(
            f"earlier predictions: {len(prediction.errors)}, off by at most {worst:.2%};", end=" "
        )
        print("last: " + ", ".join(f"{error:+.2%}" for error in prediction.errors[-5:]))
    else:
        print("no earlier prediction was compared with a library yet")
    return 0


def _newest(platform: str) -> Path:
    """The size history of the library of the platform that was measured last, with the flags in use."""
    folder = history.path(platform, "x").parent
    found = sorted(folder.glob(f"{platform}-*.json"), key=lambda f: f.stat().st_mtime)
    if not found:
        raise InvalidInput(
            f"no library for {platform} has been measured yet: run `tfcarve size LIBRARY` first"
        )
    return found[-1]
