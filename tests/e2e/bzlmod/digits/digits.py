"""Creates a Keras model, which is not trained, and images to test it with."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers

tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential(
    [
        layers.Input((28, 28, 1), name="image"),
        layers.Conv2D(16, 3, use_bias=False),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.MaxPooling2D(2),
        layers.Flatten(),
        layers.Dense(10, "softmax", name="digit"),
    ]
)
model.save("digits.keras")

images = np.random.default_rng(1).random((8, 1, 28, 28, 1), np.float32)
np.savez("samples.npz", image=images)
np.save("image.npy", images[0])
images[0].tofile("image.raw")
