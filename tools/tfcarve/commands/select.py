"""`tfcarve select`: selects the ops, kernels and sources that models need."""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.commands import freeze_options, options
from tfcarve.errors import InvalidInput
from tfcarve.models.hashing import BackgroundHashes

if TYPE_CHECKING:
    from tfcarve.models.choice import Choice
    from tfcarve.models.node_use import Model
    from tfcarve.releases.release import Release

NAME = "select"
HELP = "works out the ops, kernels and sources that models need"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "models",
        type=Path,
        nargs="+",
        metavar="MODEL",
        help="frozen GraphDef .pb, .pbtxt or .pb.txt, SavedModel directory, .meta, .tflite with Flex ops, Keras .keras or .h5 "
        "(requires tensorflow), ops list .json or .yaml",
    )
    parser.add_argument(
        "--config", type=Path, metavar="FILE", help="ops list .yaml with ops that no model contains"
    )
    parser.add_argument(
        "--tags",
        default="",
        metavar="TAG[,TAG]",
        help="selects the graphs of a SavedModel that have all these tags (default: all graphs)",
    )
    parser.add_argument(
        "--signature",
        action="append",
        default=[],
        metavar="NAME",
        help="selects only for the nodes that this signature of a SavedModel needs; may be repeated; each model must have at least "
        "one of the signatures (default: the whole graph)",
    )
    parser.add_argument(
        "--freeze",
        action="store_true",
        help="first freezes SavedModels and MetaGraphDefs like the Bazel rules, for each --signature or serving_default; "
        "for apps that only run inference; requires tensorflow",
    )
    parser.add_argument(
        "--flex-delegate",
        action="store_true",
        help="selects for a Flex delegate of TensorFlow Lite, which calls the kernel of each TensorFlow op by itself: "
        "without the ops that a session adds; models must be .tflite",
    )
    parser.add_argument(
        "--runtime",
        choices=("auto", "plan", "session"),
        default="session",
        help="what runs the graphs: TensorFlow's session, with the ops that it adds to graphs, or a plan, which needs a small part "
        "of TensorFlow's runtime but cannot run all graphs; auto: a plan if it can run the models (default: %(default)s)",
    )
    freeze_options.add_tensors(parser)
    freeze_options.add_freeze(parser)
    options.add_index(parser)
    options.add_output(parser, "selection.json")


def _require_signatures(requested: Iterable[str], found: Iterable[str]) -> None:
    missing = set(requested) - set(found)
    if missing:
        raise InvalidInput(
            f"no model has the signature {min(missing)!r}: only SavedModels and MetaGraphs have signatures; "
            "`tfcarve inspect MODEL` lists them"
        )


def _models(
    path: Path,
    release: "Release",
    choice: "Choice",
    arguments: argparse.Namespace,
    sha256: Callable[[Path], str],
) -> Iterator["Model"]:
    """Yields the model at `path`, for `release`. If models are frozen first, yields one for each signature of `choice`."""
    from msgspec import structs

    from tfcarve.commands.read_model import (
        is_to_freeze,
        read_frozen,
        read_model,
        signatures_to_freeze,
    )

    options = freeze_options.freeze_options(
        arguments, choice.tags or None, None, arguments.inputs, arguments.outputs
    )
    if path == arguments.config or not is_to_freeze(path, options, arguments.freeze):
        yield read_model(path, release, choice, sha256)
        return
    # Reading it first finds its signatures, and reports unknown tags and signatures.
    names = (
        signatures_to_freeze(path, release, choice) if choice.signatures else (options.signature,)
    )
    for name in names:
        yield read_frozen(path, release, structs.replace(options, signature=name), sha256)


def _require_one(paths: Sequence[Path], arguments: argparse.Namespace) -> None:
    """Raises InvalidInput if an option that applies to one model is given for several."""
    for option in ("checkpoint", "constant", "inputs", "outputs"):
        if getattr(arguments, option) and len(paths) > 1:
            raise InvalidInput(
                f"--{option}: applies to one model, but there are {len(paths)}: freeze each with tfcarve freeze"
            )


def _select(paths: Iterable[Path], arguments: argparse.Namespace, hashes: BackgroundHashes) -> int:
    # Imported while another thread computes the hashes: the import takes a third of the time of a selection.
    from msgspec import structs

    from tfcarve.commands import common, index_argument
    from tfcarve.models.choice import Choice
    from tfcarve.selection import flex, leftover_kinds, runtime_rules
    from tfcarve.selection.resolve import RuntimeRequest, resolve

    tags = tuple(tag for tag in arguments.tags.split(",") if tag)
    choice = Choice(tags, tuple(arguments.signature))
    requested = index_argument.read(arguments)
    release = requested.release
    models = [
        model
        for path in paths
        for model in _models(path, release, choice, arguments, hashes.sha256)
    ]
    _require_signatures(choice.signatures, (name for model in models for name in model.signatures))
    if arguments.flex_delegate:
        flex.check(models)
    else:
        flex.require_ops(models)
    index = requested.load()
    version = index.tensorflow.version
    if not release.is_of(version):
        common.warn(
            f"TensorFlow {version} is not a release that tfcarve builds: the data of {release.version} are used"
        )
    rules, kinds = runtime_rules.load(release), leftover_kinds.load(release)
    if arguments.flex_delegate:
        # Converters leave no ops of training that an app does not call.
        kinds = structs.replace(kinds, kinds=())
    request: RuntimeRequest = "flex" if arguments.flex_delegate else arguments.runtime
    resolved = resolve(models, index, release, rules, kinds, request)
    for warning in resolved.warnings:
        common.warn(warning)
    common.notes(resolved.notes)
    common.output(resolved.selection.to_json(), arguments.output)
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Writes the selection."""
    _require_one(arguments.models, arguments)
    paths = [*arguments.models, *([arguments.config] if arguments.config else [])]
    with BackgroundHashes(paths) as hashes:
        return _select(paths, arguments, hashes)
