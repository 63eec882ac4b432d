"""The program that exports a Keras file as a SavedModel; tfcarve.full_tensorflow runs it in a child process.

usage: keras_program FOLDER, with FOLDER/request.json; writes FOLDER/saved_model, or FOLDER/result.json with the error.
"""

import sys
from pathlib import Path

from tfcarve import json_codec, op_library_loading
from tfcarve.errors import InvalidInput
from tfcarve.prepare.freeze import keras_export, load
from tfcarve.prepare.freeze.program import REQUEST, RESULT
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.result import Result


def main(argument: str) -> None:
    """Exports the model in FOLDER/request.json."""
    folder = Path(argument)
    file = folder / REQUEST
    request = json_codec.decode(file.read_bytes(), Request, str(file))
    try:
        op_library_loading.load(request.options.op_libraries)
        keras_export.export(request, folder / load.EXPORTED)
    except InvalidInput as error:
        (folder / RESULT).write_bytes(json_codec.encode(Result(error=str(error))))


if __name__ == "__main__":
    main(*sys.argv[1:])
