"""The program that freezes a model; tfcarve.full_tensorflow runs it in a child process.

usage: program FOLDER, with FOLDER/request.json; writes FOLDER/result.json and, on success, FOLDER/model.pb. It does not import
tensorflow: the process of tfcarve.prepare.evaluate.evaluator computes.
"""

import sys
from pathlib import Path

from tfcarve import dtypes, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.newer import data as newer_data
from tfcarve.newer import graph_version
from tfcarve.newer.data import Newer
from tfcarve.prepare.checks import release_check
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.freeze import load, source
from tfcarve.prepare.freeze.frozen import Frozen, frozen
from tfcarve.prepare.freeze.interface import Port
from tfcarve.prepare.freeze.request import Request
from tfcarve.prepare.freeze.result import Result, Tensor
from tfcarve.prepare.graph import graph_file
from tfcarve.releases import known

REQUEST, RESULT, MODEL = "request.json", "result.json", "model.pb"


def _tensor(port: Port) -> Tensor:
    dims = None if port.shape.unknown_rank else tuple(d.size for d in port.shape.dim)
    dtype = dtypes.from_number(port.dtype) or str(port.dtype)
    return Tensor(name=port.name, given=port.given, dtype=dtype, shape=dims)


def _write(done: Frozen, folder: Path, newer: Newer) -> Result:
    _, newer_notes = release_check.finish(done.graph, newer)
    graph_file.write_graph(folder / MODEL, done.graph)
    return Result(
        inputs=tuple(map(_tensor, done.inputs)),
        outputs=tuple(map(_tensor, done.outputs)),
        notes=done.notes,
        newer=newer_notes,
    )


def _frozen(request: Request, folder: Path) -> Result:
    newer = newer_data.load(known.release(request.release))
    with Evaluator(source.size(request), request.options.op_libraries) as evaluator:
        evaluator.begin()
        loaded = load.source(request, folder, evaluator)
        graph_version.require(load.versions(loaded.graph), newer.data)
        return _write(frozen(loaded, request, evaluator, newer), folder, newer)


def main(argument: str) -> None:
    """Freezes the model in FOLDER/request.json."""
    folder = Path(argument)
    file = folder / REQUEST
    request = json_codec.decode(file.read_bytes(), Request, str(file))
    try:
        result = _frozen(request, folder)
    except InvalidInput as error:
        result = Result(error=str(error))
    (folder / RESULT).write_bytes(json_codec.encode(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
