"""Runs pitch.tflite with the delegate in the file that the argument names."""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter, load_delegate

RATE = 8000
HIGHEST = 400

delegate = load_delegate(sys.argv[1])
interpreter = Interpreter("pitch.tflite", experimental_delegates=[delegate])
cepstrum = interpreter.get_signature_runner()(sound=np.load("sound.npy"))["cepstrum"][0]
shortest = RATE // HIGHEST
period = shortest + np.argmax(cepstrum[shortest : len(cepstrum) // 2])
print(f"pitch: {RATE / period:.0f} Hz")
