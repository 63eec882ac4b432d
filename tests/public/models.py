"""Public models that nobody here made: those of packages, and Keras applications."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from public.packages import BASIC_PITCH, GUESSLANG, INA_SPEECH_SEGMENTER, MTCNN

Array = np.ndarray[Any, np.dtype[Any]]

_TEXTS = (
    b"def main():\n    for i in range(3):\n        print(i)\n",
    b'#include <stdio.h>\nint main(void) { return puts("x"); }\n',
    b"SELECT name, COUNT(*) FROM users GROUP BY name;\n",
    b"",
)


@dataclass(frozen=True)
class PublicModel:
    """A model.

    Attributes:
      origin: where it comes from.
      source: writes its files into a folder if they are not there; returns what `tfcarve freeze` reads.
      shape: the shape of its only input.
      texts: the values of the input, if it takes strings.
    """

    origin: str
    source: Callable[[Path], Path]
    shape: Sequence[int]
    texts: Sequence[bytes] = field(default=())

    def input(self) -> Array:
        """Returns the texts, or random numbers, the same on each run; NumPy stores the texts without a pickle."""
        if self.texts:
            return np.array(self.texts, "S")
        drawn = np.random.default_rng(0).normal(size=self.shape)
        return drawn.astype(np.float32)


def _export(*words: str | Path) -> None:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"}
    command = [sys.executable, "-m", "public.export", *map(str, words)]
    subprocess.run(command, check=True, env=environment, capture_output=True)


def _application(name: str, size: int = 224, file: str = "model.h5") -> PublicModel:
    def source(folder: Path) -> Path:
        if not (folder / file).exists():
            _export("keras", name, folder / file)
        return folder / file

    return PublicModel(f"keras.applications.{name}", source, (1, size, size, 3))


def _mtcnn(network: str, height: int, width: int) -> PublicModel:
    def source(folder: Path) -> Path:
        file, files = folder / f"{network}.h5", MTCNN.folder() / "mtcnn"
        if not file.exists():
            _export("mtcnn", files / "network/factory.py", files / "data/mtcnn_weights.npy", folder)
        return file

    return PublicModel(MTCNN.requirement, source, (1, height, width, 3))


def _segmenter(file: str, coefficients: int) -> PublicModel:
    return PublicModel(
        INA_SPEECH_SEGMENTER.requirement,
        lambda _: INA_SPEECH_SEGMENTER.folder() / "inaSpeechSegmenter" / file,
        (4, 68, coefficients),
    )


MODELS: Mapping[str, PublicModel] = MappingProxyType(
    {
        "basic_pitch": PublicModel(
            BASIC_PITCH.requirement,
            lambda _: BASIC_PITCH.folder() / "basic_pitch/saved_models/icassp_2022/nmp",
            (1, 43844, 1),
        ),
        "guesslang": PublicModel(
            GUESSLANG.requirement,
            lambda _: GUESSLANG.folder() / "guesslang/data/model",
            (len(_TEXTS),),
            _TEXTS,
        ),
        "male_female": _segmenter("keras_male_female_cnn.hdf5", 24),
        "speech_music": _segmenter("keras_speech_music_cnn.hdf5", 21),
        "speech_music_noise": _segmenter("keras_speech_music_noise_cnn.hdf5", 21),
        "mtcnn_pnet": _mtcnn("pnet", 48, 64),
        "mtcnn_rnet": _mtcnn("rnet", 24, 24),
        "mtcnn_onet": _mtcnn("onet", 48, 48),
        "mobilenet": _application("MobileNet"),
        "mobilenet_v3_small": _application("MobileNetV3Small"),
        "densenet_121": _application("DenseNet121"),
        "efficientnet_v2_b0": _application("EfficientNetV2B0"),
        "nasnet_mobile": _application("NASNetMobile"),
        "resnet_50_v2": _application("ResNet50V2"),
        "xception": _application("Xception", 299),
        # Keras 2.14 does not read its own file of this model.
        "convnext_tiny": _application("ConvNeXtTiny", file="model"),
    }
)
