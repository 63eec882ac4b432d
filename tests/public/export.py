"""Writes a model that exists only as Python code, in a process of its own.

    python -m public.export keras NAME FILE.h5
    python -m public.export mtcnn FACTORY.py WEIGHTS.npy FOLDER

The first writes a Keras application with random weights, without the last activation: with Softmax, all outputs would be almost
equal. FILE may also be a folder, for a SavedModel. The second writes the networks of mtcnn with their weights: pnet.h5,
rnet.h5 and onet.h5.
"""

from __future__ import annotations

import sys
from importlib import util
from pathlib import Path

import numpy as np
import tensorflow as tf

_SEED = 20261126
# The ranges of the parameters of normalizations; with their initial values, zeros and ones, a wrong one would look right.
_RANGES = {
    "gamma:0": (0.7, 1.3),
    "beta:0": (-0.3, 0.3),
    "moving_mean:0": (-0.3, 0.3),
    "moving_variance:0": (0.7, 1.3),
}


def keras(name: str, file: Path) -> None:
    """Writes the Keras application NAME."""
    tf.keras.utils.set_random_seed(_SEED)
    drawn = np.random.default_rng(_SEED)
    model = getattr(tf.keras.applications, name)(weights=None, classifier_activation=None)
    for weight in model.weights:
        kind = weight.name.rpartition("/")[2]
        if kind in _RANGES:
            weight.assign(drawn.uniform(*_RANGES[kind], weight.shape))
    model.save(file)


def mtcnn(factory: Path, weights: Path, folder: Path) -> None:
    """Writes the networks of mtcnn."""
    spec = util.spec_from_file_location("factory", factory)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    networks = module.NetworkFactory().build_P_R_O_nets_from_file(str(weights))
    for name, network in zip(("pnet", "rnet", "onet"), networks, strict=True):
        network.save(folder / f"{name}.h5")


if __name__ == "__main__":
    kind, *words = sys.argv[1:]
    if kind == "keras":
        keras(words[0], Path(words[1]))
    else:
        mtcnn(*map(Path, words))
