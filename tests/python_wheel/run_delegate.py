"""Runs a TensorFlow Lite model with the delegate of an installed wheel: run_delegate.py FOLDER MODEL INPUT.npy."""

import json
import sys

sys.path.insert(0, sys.argv[1])

import carved_flex
import numpy as np
from ai_edge_litert.interpreter import Interpreter

interpreter = Interpreter(sys.argv[2], experimental_delegates=[carved_flex.load_delegate()])
interpreter.allocate_tensors()
interpreter.set_tensor(interpreter.get_input_details()[0]["index"], np.load(sys.argv[3]))
interpreter.invoke()
print(json.dumps(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).tolist()))
