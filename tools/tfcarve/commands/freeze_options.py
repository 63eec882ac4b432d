"""The options of the commands that freeze models. It loads nothing heavy, so that commands start fast."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.errors import InvalidInput
from tfcarve.op_library import require_library

if TYPE_CHECKING:
    from tfcarve.prepare.freeze.request import Options


def names(text: str) -> tuple[str, ...]:
    """Returns the names in a comma-separated list."""
    return tuple(name for part in text.split(",") if (name := part.strip()))


def add_freeze(parser: argparse.ArgumentParser) -> None:
    """Declares the options that apply to all models, from --checkpoint to --assertions."""
    group = parser.add_argument_group("freezing")
    group.add_argument(
        "--checkpoint",
        default="",
        metavar="PREFIX",
        help="reads the variables of a .pb, .pbtxt, .pb.txt or .meta from this checkpoint: its prefix, one of its files, or its folder",
    )
    group.add_argument(
        "--moving-averages",
        action="store_true",
        help="uses the moving averages of variables (ExponentialMovingAverage) that the checkpoint has",
    )
    group.add_argument(
        "--lower-control-flow",
        action="store_true",
        help="lowers While, If and Case to Switch, Merge, Enter and Exit",
    )
    group.add_argument(
        "--unroll",
        type=int,
        default=0,
        metavar="N",
        help="unrolls loops with a constant number of iterations, at most N (default: 0, which keeps loops)",
    )
    group.add_argument(
        "--custom-objects",
        default="",
        metavar="FILE.py",
        help="runs this Python file, which defines the classes and functions of a Keras file that are not part of Keras",
    )
    group.add_argument(
        "--op-library",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.so",
        help="a shared library with custom ops, built for the installed TensorFlow, which loads it and runs its code; may "
        "be repeated",
    )
    group.add_argument(
        "--constant",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="gives the Placeholder NAME, or this input of the signature, a constant value: a number, true, false, a string or "
        "a list in JSON; may be repeated",
    )
    group.add_argument(
        "--assertions",
        choices=("keep", "drop"),
        help="whether assertions of the model stay in the graph (default: keep)",
    )


def add_graph(parser: argparse.ArgumentParser) -> None:
    """Declares --tags and --signature, which select the graph of a SavedModel or MetaGraphDef and its signature."""
    parser.add_argument(
        "--tags",
        type=names,
        metavar="TAG[,TAG]",
        help="selects the graph of a SavedModel with exactly these tags (default: serve)",
    )
    parser.add_argument(
        "--signature",
        metavar="NAME",
        help="takes the inputs, the outputs and their names from this signature, or function of a SavedModel (default: "
        "serving_default)",
    )


def add_tensors(parser: argparse.ArgumentParser) -> None:
    """Declares --inputs and --outputs, which name tensors of the model that is frozen."""
    parser.add_argument(
        "--inputs",
        type=names,
        default=(),
        metavar="TENSOR[,TENSOR]",
        help="tensors that become Placeholders (default: the signature's inputs, or all Placeholders)",
    )
    parser.add_argument(
        "--outputs",
        type=names,
        default=(),
        metavar="TENSOR[,TENSOR]",
        help="tensors that the graph computes (default: the signature's outputs)",
    )


def freeze_options(
    arguments: argparse.Namespace,
    tags: Sequence[str] | None,
    signature: str | None,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> "Options":
    """Returns the options of freezing.

    Args:
      arguments: the parsed options of add_freeze.
      tags: the tags of the graph; None for the default.
      signature: the name of the signature; None for the default.
      inputs: tensors that become Placeholders.
      outputs: tensors that the graph computes.

    Raises:
      InvalidInput: a number is negative, or a library does not exist.
    """
    from tfcarve.prepare.freeze.request import DEFAULTS, Options

    if arguments.unroll < 0:
        raise InvalidInput(f"--unroll {arguments.unroll}: expected 0 or more")
    for path in arguments.op_library:
        require_library(path)
    prefix, custom = arguments.checkpoint, arguments.custom_objects
    return Options(
        tags=DEFAULTS.tags if tags is None else tuple(tags),
        signature=DEFAULTS.signature if signature is None else signature,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        checkpoint=str(Path(prefix).absolute()) if prefix else "",
        moving_averages=arguments.moving_averages,
        lower_control_flow=arguments.lower_control_flow,
        unroll=arguments.unroll,
        custom_objects=str(Path(custom).absolute()) if custom else "",
        op_libraries=tuple(str(path.absolute()) for path in arguments.op_library),
        constants=tuple(arguments.constant),
        assertions=arguments.assertions or DEFAULTS.assertions,
    )


def words(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Returns the options of the parsed arguments that differ from their defaults, as words of a command line."""
    found: list[str] = []
    for name in ("tags", "signature", "inputs", "outputs", "checkpoint"):
        value = getattr(arguments, name)
        if value:
            text = value if isinstance(value, str) else ",".join(value)
            found.append(f"--{name}={text}")
    found += ["--moving-averages"] if arguments.moving_averages else []
    found += ["--lower-control-flow"] if arguments.lower_control_flow else []
    found += [f"--unroll={arguments.unroll}"] if arguments.unroll else []
    custom = arguments.custom_objects
    found += [f"--custom-objects={custom}"] if custom else []
    found += [f"--op-library={path}" for path in arguments.op_library]
    found += [f"--constant={option}" for option in arguments.constant]
    found += [f"--assertions={arguments.assertions}"] if arguments.assertions else []
    return tuple(found)
