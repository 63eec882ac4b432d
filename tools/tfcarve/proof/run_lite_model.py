"""Runs a model in the interpreter of ai-edge-litert with a Flex delegate, and compares its outputs: for tf_model_test.

Needs only the packages of //third_party/python:litert.txt. Exit status: 0 done; 1 the interpreter or the delegate
cannot run the model, or an output differs from the expected one; 2 invalid arguments, or a file cannot be read.
"""

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tfcarve.printable import printable_lines
from tfcarve.proof import lite_model, npy_arrays
from tfcarve.proof.difference import TOLERANCES, Array, difference
from tfcarve.proof.lite_model import LiteError
from tfcarve.proof.npy_arrays import ArrayError

_PROGRAM = "run_lite_model"
_DONE, _REFUSED, _BAD_USE = 0, 1, 2


def _binding(text: str) -> tuple[str, Path]:
    name, _, file = text.partition("=")
    if not (name and file):
        raise argparse.ArgumentTypeError(f"expected NAME=FILE.npy, not {text!r}")
    return name, Path(file)


def _tolerance(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if name not in TOLERANCES or not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(
            f"expected {'=, '.join(TOLERANCES)}= and a number, not {text!r}"
        )
    return name, value


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=_PROGRAM, description="Runs a TensorFlow Lite model once."
    )
    parser.add_argument("model", type=Path, metavar="MODEL.tflite")
    parser.add_argument(
        "--delegate", type=Path, required=True, metavar="LIBRARY", help="the Flex delegate"
    )
    parser.add_argument(
        "--signature",
        default="",
        metavar="NAME",
        help="the signature to run (default: serving_default, or the only one)",
    )
    for option, what in (
        ("input", "feed the array in FILE to the input NAME"),
        ("expect", "compare the output NAME with the array in FILE"),
    ):
        parser.add_argument(
            f"--{option}",
            type=_binding,
            action="append",
            default=[],
            required=option == "expect",
            metavar="NAME=FILE.npy",
            help=f"{what}; may be repeated",
        )
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        action="append",
        default=[],
        metavar="TYPE=NUMBER",
        help="permitted difference of float16, float32 or float64 (default: 1e-2, 1e-5, 1e-9)",
    )
    return parser


def _fail(status: int, message: object) -> int:
    print(printable_lines(f"{_PROGRAM}: {message}"), file=sys.stderr)
    return status


def _interpreter(model: Path, delegate: Path) -> Any:
    from ai_edge_litert.interpreter import Interpreter, load_delegate

    loaded = load_delegate(str(delegate.absolute()))
    return Interpreter(model_path=str(model), num_threads=1, experimental_delegates=[loaded])


def _outputs(arguments: argparse.Namespace, feeds: dict[str, Array]) -> list[Array]:
    interpreter = _interpreter(arguments.model, arguments.delegate)
    names = [name for name, _ in arguments.expect]
    return lite_model.run(interpreter, arguments.signature, feeds, names)


def main(argv: Sequence[str]) -> int:
    """Runs the model once and reports each difference; returns the exit status."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:
        return int(stop.code or 0)
    for path in (arguments.model, arguments.delegate):
        if not path.is_file():
            return _fail(_BAD_USE, f"{path}: no such file")
    try:
        feeds = {name: npy_arrays.read(path) for name, path in arguments.input}
        expected = [npy_arrays.read(path) for _, path in arguments.expect]
        actual = _outputs(arguments, feeds)
    except (ArrayError, LiteError) as error:
        return _fail(_BAD_USE, f"{arguments.model}: {error}")
    except (OSError, RuntimeError, ValueError) as error:
        # The message of the interpreter, the delegate or the dynamic linker.
        return _fail(_REFUSED, f"{arguments.model}: {error}")
    status = _DONE
    tolerances = {**TOLERANCES, **dict(arguments.tolerance)}
    for (name, path), found, wanted in zip(arguments.expect, actual, expected, strict=True):
        differs = difference(found, wanted, tolerances)
        if differs:
            status = _fail(_REFUSED, f"output {name!r} {differs} (expected: {path})")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
