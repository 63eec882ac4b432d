"""Opens a model file: mapped into memory, so that only the pages that a reader touches are loaded."""

import mmap
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.models import other_formats
from tfcarve.models.wire import Buffer

_FORMATS = ".pb, .pbtxt, .meta, .tflite, .keras, .h5, .json, .yaml or a SavedModel directory"


def mapped(path: Path) -> Buffer:
    """Maps a file into memory, for as long as the result is referenced.

    Raises:
      InvalidInput: the file cannot be read, is empty, or is in a format that is known not to be a model of TensorFlow.
    """
    try:
        with path.open("rb") as stream:
            if path.stat().st_size == 0:
                raise InvalidInput(f"{path}: is empty: a model was expected")
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise InvalidInput(f"{path}: no such file: pass a model ({_FORMATS})") from None
    except IsADirectoryError:
        raise InvalidInput(
            f"{path}: is a directory: pass a file or a SavedModel directory"
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path}: cannot be read: {error}") from None
    problem = other_formats.problem(path, data[: other_formats.HEAD], data[-other_formats.TAIL :])
    if problem:
        raise InvalidInput(f"{path}: {problem}")
    return data
