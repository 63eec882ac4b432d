"""What the commands that prepare models share: their packages, --inputs and --outputs."""

import argparse
import importlib.util
import sys

from tfcarve.errors import InvalidInput


def require_packages() -> None:
    """Makes sure that this Python has numpy and protobuf; raises InvalidInput with the command that installs them."""
    missing = [name for name in ("numpy", "google.protobuf") if not _is_there(name)]
    if missing:
        raise InvalidInput(
            f"{' and '.join(missing)} not installed in {sys.executable}: pip install 'tfcarve[tensorflow]'"
        )


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # not even the package that it is in
        return False


def add_ends(parser: argparse.ArgumentParser) -> None:
    """Declares --inputs and --outputs."""
    parser.add_argument(
        "--inputs",
        default="",
        metavar="A,B",
        help="nodes that the app feeds, separated by commas; else all Placeholders",
    )
    parser.add_argument(
        "--outputs",
        default="",
        metavar="C,D",
        help="nodes that it fetches; else those that nothing reads",
    )


def names(text: str) -> list[str]:
    """Returns the names in a list that is separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
