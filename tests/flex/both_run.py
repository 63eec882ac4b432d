"""Runs a graph in a carved library and a model in an interpreter with a carved delegate, in one process.

usage: both_run.py PACKAGE ORDER LIBRARY GRAPH DELEGATE MODEL INPUTS.npz OUTPUTS.npz

PACKAGE, MODEL and the arrays are as for flex_run.py. ORDER is one of ORDERS: which library is loaded first. Both are loaded so
that all libraries of the process can bind to their symbols. OUTPUTS.npz also has `session`, the output of the graph, and
`ops`, those of the app in the manifest of the library.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

import numpy as np

from e2e.sessions import numpy_session
from flex import flex_run
from tfcarve.client.library import Library

ORDERS = ("delegate", "library")
_INPUT = np.array([[1, 2, 3, 4], [-1, 0, 1, 2]], np.float32)


def main(
    package: str,
    order: str,
    library: str,
    graph: str,
    delegate: str,
    model: str,
    inputs: str,
    outputs: str,
) -> None:
    """Loads both and runs them in turns."""
    for path in (delegate, library) if order == "delegate" else (library, delegate):
        ctypes.CDLL(path, mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    # The first definition in the order of loading, as for an app that links both.
    process = ctypes.CDLL(None)
    process.tfcarve_manifest.restype = ctypes.c_char_p
    ops = json.loads(process.tfcarve_manifest())["ops"]
    loaded = flex_run.interpreter(package, delegate, model)
    with Library(library).session_from_file(graph) as session, np.load(inputs) as arrays:
        for _ in range(2):
            (found,) = numpy_session.run(session, {"input": _INPUT}, ["output"])
            lite = flex_run.run_once(loaded, arrays)
    np.savez(outputs, session=found, ops=[op for op in ops if op.startswith("App")], **lite)


if __name__ == "__main__":
    main(*sys.argv[1:])
