"""Measures a TensorFlow Lite model in an interpreter from a package; a program of its own, for the package's Python.

usage: flex_rounds.py PACKAGE DELEGATE MODEL INPUTS.npz ROUNDS

The first four arguments are those of tests/flex/flex_run.py; for a model with signatures, the inputs are those of one step.
A round is several inferences, because reading the clock takes as long as a short one. Prints the CPU milliseconds of an
inference, the mean of the fastest round; that of a signature includes setting its inputs and copying its outputs.
"""

import functools
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "flex"))
import flex_run

_WARM_UP = 5
_INFERENCES = 20


def main(package: str, delegate: str, model: str, inputs: str, rounds: str) -> None:
    """Runs the model and prints the time of an inference in the fastest round."""
    interpreter = flex_run.interpreter(package, delegate, model)
    infer = interpreter.invoke
    with np.load(inputs) as arrays:
        steps = flex_run.steps(arrays)
        if steps:
            ((signature, feeds),) = steps.values()
            infer = functools.partial(interpreter.get_signature_runner(signature), **feeds)
        else:
            flex_run.run_once(interpreter, arrays)
    best = float("inf")
    for number in range(_WARM_UP + int(rounds)):
        start = time.process_time()
        for _ in range(_INFERENCES):
            infer()
        if number >= _WARM_UP:
            best = min(best, time.process_time() - start)
    print(1e3 * best / _INFERENCES)


if __name__ == "__main__":
    main(*sys.argv[1:])
