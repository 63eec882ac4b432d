"""Checks a Keras file in a process of its own: HDF5's library crashes, or never ends, for some damaged files.

usage: keras_check FILE [PYTHON_FILE], with the custom objects in PYTHON_FILE; prints the version of Keras that wrote FILE.
"""

import sys
from pathlib import Path

from tfcarve.models import keras_config, keras_custom, keras_file


def main(path: str, custom: str = "") -> None:
    """Exits with a message if loading the file would do more than build layers."""
    known = keras_custom.definitions(Path(custom)) if custom else frozenset()
    try:
        found = keras_file.configuration(Path(path))
        keras_config.require_safe_configuration(found.text, known)
    except keras_config.UnsafeError as error:
        sys.exit(" ".join(str(error).split()))
    print(found.version)


if __name__ == "__main__":
    main(*sys.argv[1:])
