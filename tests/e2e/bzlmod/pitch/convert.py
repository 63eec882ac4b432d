"""Writes pitch.tflite, a model with TensorFlow ops, and sound.npy, an input for it."""

import numpy as np
import tensorflow as tf

RATE = 8000
FRAME = 512


@tf.function(input_signature=[tf.TensorSpec([1, RATE], tf.float32)])
def cepstrum(sound):
    """Returns the mean cepstrum of a second of sound; a voice has a peak at its period."""
    spectrum = tf.abs(tf.signal.stft(sound, FRAME, FRAME // 2))
    levels = tf.math.log(spectrum + 1e-3)
    return {"cepstrum": tf.reduce_mean(tf.signal.irfft(tf.cast(levels, tf.complex64)), axis=1)}


module = tf.Module()
module.cepstrum = cepstrum
converter = tf.lite.TFLiteConverter.from_concrete_functions(
    [cepstrum.get_concrete_function()], module
)
converter.target_spec.supported_ops = [
    tf.lite.OpsSet.TFLITE_BUILTINS,
    tf.lite.OpsSet.SELECT_TF_OPS,
]
model = converter.convert()
with open("pitch.tflite", "wb") as file:
    file.write(model)

# The harmonics of a voice at 125 Hz.
seconds = np.arange(RATE) / RATE
sound = sum(np.sin(2 * np.pi * 125 * n * seconds) / n for n in range(1, 20))
np.save("sound.npy", sound[np.newaxis].astype(np.float32))
