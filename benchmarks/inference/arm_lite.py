"""Runs a model in TensorFlow Lite's wheel, on one thread.

    python arm_lite.py MODEL.tflite INPUT.npy EXPECTED.npy RUNS

Prints the largest difference of the output from the expected one. Runs in the Python of arm_python.
"""

import sys

import numpy as np
from tflite_runtime.interpreter import Interpreter


def main() -> int:
    """Exit status 0."""
    model, fed, expected, runs = sys.argv[1:]
    interpreter = Interpreter(model, num_threads=1)
    interpreter.allocate_tensors()
    (source,), (result,) = interpreter.get_input_details(), interpreter.get_output_details()
    interpreter.set_tensor(source["index"], np.load(fed))
    for _ in range(int(runs)):
        interpreter.invoke()
    output = interpreter.get_tensor(result["index"])
    print(np.abs(output - np.load(expected)).max())
    return 0


if __name__ == "__main__":
    sys.exit(main())
