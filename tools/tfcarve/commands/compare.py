"""`tfcarve compare`: runs two models in full TensorFlow and compares their outputs."""

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve import progress
from tfcarve.commands import common, freeze_options, prepare_options
from tfcarve.commands.options import add_output, tolerance
from tfcarve.errors import CheckFailed, InvalidInput
from tfcarve.printable import printable

if TYPE_CHECKING:
    from tfcarve.prepare.compare.comparison import Comparison
    from tfcarve.prepare.compare.side import Side
    from tfcarve.prepare.evaluate.evaluator import Evaluator
    from tfcarve.prepare.freeze.request import Options
    from tfcarve.prepare.source import Source
    from tfcarve.releases.release import Release

NAME = "compare"
HELP = "runs two models in full TensorFlow and shows by how much their outputs differ and the first node that differs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    what_a = "a model; one that is not frozen runs as TensorFlow loads it"
    for name, what in (("a", what_a), ("b", "the model that was prepared from it")):
        parser.add_argument(name, type=Path, metavar=name.upper(), help=what)
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FILE.npz",
        help="an array for each input, by name; an array with one more dimension than the input has several samples "
        "(default: random values, the same on each run)",
    )
    parser.add_argument(
        "--tolerance",
        type=tolerance,
        default=1e-5,
        metavar="T",
        help="the largest accepted difference of floating-point numbers, times 1 + |A's number|; other types "
        "must be equal (default: 1e-5)",
    )
    prepare_options.add_ends(parser)
    freeze_options.add_graph(parser)
    freeze_options.add_freeze(parser)
    parser.add_argument("--json", action="store_true", help="prints JSON")
    add_output(parser, "the JSON")


def _side(
    stack: ExitStack, evaluator: "Evaluator", path: Path, release: "Release", options: "Options"
) -> "tuple[Side, Source]":
    from tfcarve.prepare.compare.side import Side
    from tfcarve.prepare.evaluate.evaluator import Failed
    from tfcarve.prepare.graph.graph import ref
    from tfcarve.prepare.original.run import Original
    from tfcarve.prepare.source import read_source

    graph, source = read_source(path, release, options)
    try:
        loaded = stack.enter_context(evaluator.loaded(graph))
        declared = tuple(map(ref, source.declared))
        frozen_with = source.frozen_with
        original = None if frozen_with is None else Original(path, release, frozen_with)
        return Side(str(path), graph, loaded, loaded.outputs(), declared, original), source
    except Failed as error:
        raise InvalidInput(
            f"{path}: TensorFlow cannot load it: {' '.join(str(error).split())}"
        ) from None


def _compared(arguments: argparse.Namespace) -> "Comparison":
    from tfcarve.models.node_names import meant
    from tfcarve.prepare.compare import comparison
    from tfcarve.prepare.compare.npz import read_arrays
    from tfcarve.prepare.evaluate.evaluator import Evaluator
    from tfcarve.prepare.freeze import source as freezing
    from tfcarve.prepare.freeze.request import Options, without_changes
    from tfcarve.releases import known

    options = freeze_options.freeze_options(
        arguments, arguments.tags, arguments.signature, arguments.inputs, arguments.outputs
    )
    freezing.require_signatures(arguments.a, options)
    release = known.release()
    is_graph = freezing.kind(arguments.b) == "graphdef"
    of_b = Options(op_libraries=options.op_libraries) if is_graph else without_changes(options)
    read = read_arrays(arguments.data) if arguments.data else {}
    size = sum(p.stat().st_size for p in (arguments.a, arguments.b) if p.is_file())
    with progress.shown() as show, ExitStack() as stack:
        evaluator = stack.enter_context(Evaluator(size, options.op_libraries))
        a, source = _side(stack, evaluator, arguments.a, release, options)
        b, source_b = _side(stack, evaluator, arguments.b, release, of_b)
        input_nodes = {**source_b.input_nodes, **source.input_nodes}
        output_nodes = {**source_b.output_nodes, **source.output_nodes}
        named = [meant(name, a.outputs, input_nodes) for name in arguments.inputs and source.inputs]
        inputs = comparison.input_refs(a, b, named)
        named = [
            meant(name, a.outputs, output_nodes) for name in arguments.outputs and source.outputs
        ]
        outputs, alone = comparison.output_refs(a, b, named)
        arrays = {meant(name, a.outputs, input_nodes): array for name, array in read.items()}
        try:
            samples = comparison.sample_list(a, inputs, arrays if arguments.data else None)
        except InvalidInput as error:
            raise InvalidInput(f"{arguments.data or arguments.a}: {error}") from None
        found = comparison.compare(a, b, outputs, samples, arguments.tolerance, show)
    return replace(found, not_compared=alone)


def run(arguments: argparse.Namespace) -> int:
    """Prints the difference of each output; raises CheckFailed if one exceeds the tolerance."""
    prepare_options.require_packages()
    if arguments.output and not arguments.json:
        raise InvalidInput("-o requires --json")
    from tfcarve import json_codec
    from tfcarve.prepare.compare import report

    found = _compared(arguments)
    if arguments.json:
        common.output(json_codec.encode(report.document(found)), arguments.output)
    else:
        plural = "" if found.samples == 1 else "s"
        print(f"{found.samples} sample{plural}{'' if arguments.data else ' of random values'}")
        common.table(report.rows(found), report.COLUMNS, False)
        for name in found.not_compared:
            print(f"not compared because only one model has it: {printable(name)}")
    over = len(found.over())
    if over:
        raise CheckFailed(
            f"{arguments.b} differs from {arguments.a}: {over} of {len(found.outputs)} outputs by more than "
            f"{arguments.tolerance:g}:",
            report.problems(found),
        )
    return 0
