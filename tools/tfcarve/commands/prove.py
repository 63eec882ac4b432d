"""`tfcarve prove`: whether a built library registers what its selection asks for."""

import argparse
import json
from pathlib import Path

from tfcarve import files
from tfcarve.commands import common, options
from tfcarve.errors import CheckFailed, InvalidInput, Problem
from tfcarve.proof import binary, compare, manifest, table
from tfcarve.proof.binary import Image
from tfcarve.proof.compare import Proof
from tfcarve.proof.table import Table
from tfcarve.selection.selection import Selection

NAME = "prove"
HELP = "checks that a built library registers what its selection asks for, and nothing else"

_NOTHING = Table(frozenset(), frozenset(), frozenset())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "library",
        type=Path,
        metavar="LIBRARY",
        help="a shared or static library, or a program: ELF, Mach-O or universal",
    )
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--units",
        type=Path,
        metavar="ARCHIVE",
        help="the units' objects: they know what a class that matched nothing should be called",
    )
    parser.add_argument(
        "--cpu",
        choices=sorted(binary.CPUS),
        help="what the library must be for; else what it says itself",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")
    options.add_output(parser, "the proof")


def _table(image: Image, section: str) -> Table:
    return table.parse(image.sections.get(section, b""), image.name)


def _require_cpu(image: Image, cpu: str) -> None:
    wrong = sorted(image.cpus - {cpu})
    if wrong:
        found = ", ".join(_with_bits(name) for name in wrong)
        raise InvalidInput(
            f"{image.name}: is for {found}; the platform's CPU is {_with_bits(cpu)}: which toolchain made it?"
        )


def _with_bits(cpu: str) -> str:
    return f"{cpu} ({binary.CPUS[cpu][0]} bits)" if cpu in binary.CPUS else cpu


def _require_made_for(selection: Selection, image: Image) -> None:
    if binary.MANIFEST not in image.sections:
        return
    of_library = manifest.parse(image.sections[binary.MANIFEST], image.name)
    of_selection = manifest.of(selection)
    if (of_library.tensorflow, of_library.defines) != (
        of_selection.tensorflow,
        of_selection.defines,
    ):
        raise CheckFailed(
            f"{image.name} was not made from this selection:",
            [
                Problem(
                    f"it holds TensorFlow {of_library.tensorflow} made with {' '.join(of_library.defines)}",
                    (),
                    f"the selection is for {of_selection.tensorflow} with {' '.join(of_selection.defines)}",
                )
            ],
        )


def _prove(image: Image, selection: Selection, units: Table) -> Proof:
    if binary.TABLE not in image.sections:
        raise InvalidInput(
            f"{image.name}: has no table of registrations: was it made without one "
            "(registration_table = False), linked by lld without -Wl,-z,nostart-stop-gc, "
            "or is it no library of tfcarve's?"
        )
    _require_made_for(selection, image)
    refused = _table(image, binary.REFUSED)
    known = Table(
        refused.units | units.units, refused.ops | units.ops, refused.kernels | units.kernels
    )
    return compare.prove(selection, _table(image, binary.TABLE), known)


def _text(image: Image, proof: Proof) -> str:
    lines = [
        f"{image.name}: registers all {proof.registered} ops and kernels that are selected; "
        f"{proof.always} more that TensorFlow always registers"
    ]
    if proof.implied:
        lines.append("  with these, whose op and class are both selected:")
        lines += [f"    {k.op}: {k.clazz}" for k in proof.implied]
    return "\n".join(lines) + "\n"


def run(arguments: argparse.Namespace) -> int:
    """Proves each machine's part of the library; 1 where one is not as selected."""
    selection = common.load_selection(arguments.selection)
    units = _NOTHING
    if arguments.units is not None:
        for image in binary.images(files.read_bytes(arguments.units), str(arguments.units)):
            units = _table(image, binary.REFUSED)
    images = binary.images(files.read_bytes(arguments.library), str(arguments.library))
    for image in images if arguments.cpu else ():
        _require_cpu(image, arguments.cpu)
    proofs = [(image, _prove(image, selection, units)) for image in images]
    found = [(image, proof) for image, proof in proofs if proof.problems]
    if arguments.json:
        document = [{"library": image.name, **proof.to_json()} for image, proof in proofs]
        common.output((json.dumps(document, indent=1) + "\n").encode(), arguments.output)
    elif not found:
        text = "".join(_text(image, proof) for image, proof in proofs)
        common.output(text.encode(), arguments.output)
    if found:
        problems = [problem for _, proof in found for problem in proof.problems]
        names = ", ".join(image.name for image, _ in found)
        raise CheckFailed(f"{names}: {len(problems)} not as {arguments.selection} asks:", problems)
    return 0
