"""The models whose libraries are measured: frozen by full TensorFlow, made once and kept in the user's cache.

Large constants are left out of them: their values choose no kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from demo import made_models
from tfcarve import files

_MAKERS = (Path(__file__), Path(__file__).parents[1] / "tests/zoo/making.py")
_LIBRARIES = ("tensorflow-cpu", "keras", "numpy")


def _application(name: str) -> Any:
    import tensorflow as tf

    return getattr(tf.keras.applications, name)(weights=None)


def _lstm() -> Any:
    import tensorflow as tf

    layers = tf.keras.layers
    steps = [layers.Input((16, 8)), layers.LSTM(32), layers.Dense(4, activation="softmax")]
    return tf.keras.Sequential(steps)


_KERAS: Mapping[str, Callable[[], Any]] = {
    "inception_v3": lambda: _application("InceptionV3"),
    "mobilenet_v2": lambda: _application("MobileNetV2"),
    "resnet_50": lambda: _application("ResNet50"),
    "lstm": _lstm,
}

NAMES = tuple(_KERAS)


def kept(name: str) -> Path:
    """Returns the frozen GraphDef of one of NAMES, named after it; makes it where it is not there yet.

    The LSTM's loop over the steps is the while loop that TensorFlow's session runs (Enter, Merge,
    Switch, NextIteration, Exit).
    """
    versions = [metadata.version(library) for library in _LIBRARIES]
    key = made_models.key([maker.read_bytes() for maker in _MAKERS], versions)
    path = files.cache_directory() / "benchmarks" / key / f"{name}.pb"
    if not path.is_file():
        from zoo import making

        graph = making.network(_KERAS[name]())
        files.write_if_changed(path, graph.SerializeToString(deterministic=True))
    return path
