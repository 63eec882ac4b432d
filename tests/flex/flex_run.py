"""Runs TensorFlow Lite models in an interpreter from a package; a program of its own, for the package's Python.

usage: flex_run.py PACKAGE[:THREADS] (DELEGATE MODEL INPUTS.npz OUTPUTS.npz)...

PACKAGE is tensorflow, tflite_runtime or ai_edge_litert, THREADS is 1 by default. DELEGATE is a library, "-" for none, or "symbol:" and a library
that the interpreter finds by its exported symbol; so do all interpreters after it. INPUTS.npz has an array for each
input, `0`, `1`, …; for a model with signatures, `STEP/SIGNATURE/NAME`, and the steps run in order. OUTPUTS.npz has the
outputs likewise.
"""

import ctypes
import importlib
import sys

import numpy as np


def interpreter(package, delegate, model):
    """Returns the interpreter of a package, "NAME" or "NAME:THREADS", with a delegate."""
    package, _, threads = package.partition(":")
    if package == "tensorflow":
        import tensorflow as tf

        lite = tf.lite
        load = tf.lite.experimental.load_delegate
    else:
        lite = importlib.import_module(f"{package}.interpreter")
        load = lite.load_delegate
    options = {}
    if delegate.startswith("symbol:"):
        ctypes.CDLL(delegate.removeprefix("symbol:"), mode=ctypes.RTLD_GLOBAL)
    elif delegate != "-":
        options["experimental_delegates"] = [load(delegate)]
    return lite.Interpreter(model_path=model, num_threads=int(threads or 1), **options)


def steps(inputs):
    """Returns the steps of a model with signatures, sorted: the signature and its inputs, by the step's number."""
    found = {}
    for step, signature, name in (key.split("/") for key in inputs.files if "/" in key):
        array = inputs[f"{step}/{signature}/{name}"]
        found.setdefault(int(step), (signature, {}))[1][name] = array
    return dict(sorted(found.items()))


def _run_steps(loaded, inputs):
    outputs = {}
    for step, (signature, feeds) in steps(inputs).items():
        for name, array in loaded.get_signature_runner(signature)(**feeds).items():
            outputs[f"{step}/{signature}/{name}"] = array
    return outputs


def run_once(loaded, inputs):
    """Runs a model without signatures once and returns its outputs."""
    loaded.allocate_tensors()
    for number, details in enumerate(loaded.get_input_details()):
        loaded.set_tensor(details["index"], inputs[str(number)])
    loaded.invoke()
    return {
        str(number): loaded.get_tensor(details["index"])
        for number, details in enumerate(loaded.get_output_details())
    }


def _run(package, delegate, model, inputs, outputs):
    loaded = interpreter(package, delegate, model)
    with np.load(inputs) as arrays:
        run = _run_steps if steps(arrays) else run_once
        found = run(loaded, arrays)
    plain = {k: a.astype("S") if a.dtype == object else np.asarray(a) for k, a in found.items()}
    np.savez(outputs, **plain)


def main(package, *words):
    """Runs each model once, or each step of its signatures."""
    for start in range(0, len(words), 4):
        _run(package, *words[start : start + 4])


if __name__ == "__main__":
    main(*sys.argv[1:])
