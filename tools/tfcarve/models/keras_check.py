"""Checks a Keras file in a process of its own: HDF5's library crashes, or never ends, for some damaged files."""

import sys
from pathlib import Path

from tfcarve.models import keras_config


def main(path: str) -> None:
    """Exits with a message if loading the file would do more than build layers."""
    try:
        keras_config.require_safe(Path(path))
    except keras_config.UnsafeError as error:
        sys.exit(" ".join(str(error).split()))


if __name__ == "__main__":
    main(*sys.argv[1:])
