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
    """Generates a model of the zoo. Exit status 0, or 2 for invalid arguments."""
    parser = argparse.ArgumentParser(prog="make_model", description=__doc__)
    parser.add_argument("name", choices=sorted(zoo.MODELS))
    parser.add_argument("--model", type=Path, metavar="FILE.pb", help="the frozen graph")
    parser.add_argument("--input", type=Path, metavar="FILE.npy", help="an input for it")
    parser.add_argument(
        "--output", type=Path, metavar="FILE.npy", help="full TensorFlow's output for it"
    )
    parser.add_argument("--lite", type=Path, metavar="FILE.tflite", help="TensorFlow Lite's model")
    arguments = parser.parse_args(argv)
    model = zoo.MODELS[arguments.name]()
    if arguments.lite and model.keras is None:
        parser.error(f"{arguments.name} is no Keras model, so it has no TensorFlow Lite file")
    if arguments.model:
        frozen.write(arguments.model, model.graph.SerializeToString(deterministic=True))
    if arguments.input:
        frozen.write(arguments.input, _npy(model.input))
    if arguments.output:
        frozen.write(arguments.output, _npy(model.output))
    if arguments.lite:
        frozen.write(arguments.lite, frozen.lite(model.keras))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
