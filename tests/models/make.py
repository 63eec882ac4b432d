"""Writes a model, an input for it, and full TensorFlow's output."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from models import frozen, zoo


def _npy(array: frozen.Array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def main(argv: Sequence[str]) -> int:
    """Makes one of the models of the zoo; exit status 0, or 2 for bad use."""
    parser = argparse.ArgumentParser(prog="make_model", description=__doc__)
    parser.add_argument("name", choices=sorted(zoo.MODELS))
    parser.add_argument("--model", type=Path, metavar="FILE.pb", help="the frozen graph")
    parser.add_argument("--input", type=Path, metavar="FILE.npy", help="an input for it")
    parser.add_argument("--output", type=Path, metavar="FILE.npy", help="what it must give")
    parser.add_argument("--lite", type=Path, metavar="FILE.tflite", help="TensorFlow Lite's model")
    asked = parser.parse_args(argv)
    made = zoo.MODELS[asked.name]()
    if asked.lite and made.keras is None:
        parser.error(f"{asked.name} is no Keras model: TensorFlow Lite can't have it")
    if asked.model:
        frozen.write(asked.model, made.graph.SerializeToString(deterministic=True))
    if asked.input:
        frozen.write(asked.input, _npy(made.input))
    if asked.output:
        frozen.write(asked.output, _npy(made.output))
    if asked.lite:
        frozen.write(asked.lite, frozen.lite(made.keras))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
