"""`tfcarve prove`: checks that a built library registers the ops and kernels of its selection."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tfcarve import files, json_codec
from tfcarve.commands import common, options
from tfcarve.errors import CheckFailed, InvalidInput, Problem
from tfcarve.objfile import cpu
from tfcarve.objfile.image import Image, SectionName
from tfcarve.proof import compare, manifest, sections, table
from tfcarve.proof.compare import Proof
from tfcarve.proof.table import Table
from tfcarve.selection.selection import Selection

NAME = "prove"
HELP = "checks that a built library registers the ops and kernels of its selection, and no others"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "library",
        type=Path,
        metavar="LIBRARY",
        help="a shared or static library, a program or an object: ELF, Mach-O or universal (every slice is checked)",
    )
    parser.add_argument("selection", type=Path, metavar="SELECTION", help="selection.json")
    parser.add_argument(
        "--units",
        type=Path,
        metavar="ARCHIVE",
        help="archive of the units' objects: messages then name the nearest class of a missing kernel",
    )
    parser.add_argument(
        "--cpu",
        choices=sorted(cpu.BY_NAME),
        help="fails if the library is for another CPU",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")
    options.add_output(parser, "the proof")


def run(arguments: argparse.Namespace) -> int:
    """Checks every slice of the library; raises CheckFailed if one does not match the selection."""
    selection = common.load_selection(arguments.selection)
    units: Sequence[Image] = ()
    if arguments.units is not None:
        units = sections.images(files.read_bytes(arguments.units), str(arguments.units))
    images = sections.images(files.read_bytes(arguments.library), str(arguments.library))
    for image in images if arguments.cpu else ():
        _require_cpu(image, arguments.cpu)
    proofs = [_prove(image, selection, units) for image in images]
    failed = [proof for proof in proofs if proof.problems]
    if arguments.json:
        common.output(json_codec.encode(proofs), arguments.output)
    elif not failed:
        common.output("".join(map(_text, proofs)).encode(), arguments.output)
    if failed:
        raise _failure(failed, several=len(images) > 1, selection=arguments.selection)
    return 0


def _prove(image: Image, selection: Selection, units: Sequence[Image]) -> Proof:
    if sections.TABLE not in image.sections:
        raise InvalidInput(
            f"{image.name}: has no table of registrations: was it built with registration_table = False, "
            "linked by lld without -Wl,-z,nostart-stop-gc, or not built by tfcarve?"
        )
    _require_same_tensorflow(selection, image)
    refused = _table(image, sections.REFUSED)
    for other in units:
        if other.cpus & image.cpus:
            refused |= _table(other, sections.REFUSED)
    return compare.prove(image.name, selection, _table(image, sections.TABLE), refused)


def _table(image: Image, section: SectionName) -> Table:
    return table.parse(image.sections.get(section, b""), image.name)


def _require_cpu(image: Image, wanted: str) -> None:
    wrong = sorted(image.cpus - {wanted})
    if wrong:
        found = ", ".join(str(cpu.BY_NAME.get(name, name)) for name in wrong)
        raise InvalidInput(
            f"{image.name}: is for {found}, but the platform's CPU is {cpu.BY_NAME[wanted]}: "
            "check which toolchain compiled it"
        )


def _require_same_tensorflow(selection: Selection, image: Image) -> None:
    if sections.MANIFEST not in image.sections:
        return
    built = manifest.parse(image.sections[sections.MANIFEST], image.name)
    selected = manifest.of(selection)
    if (built.tensorflow, built.defines) != (selected.tensorflow, selected.defines):
        raise CheckFailed(
            f"{image.name} was not built from this selection:",
            [
                Problem(
                    f"the library has TensorFlow {built.tensorflow}, compiled with {' '.join(built.defines)}",
                    (),
                    f"the selection is for {selected.tensorflow}, compiled with {' '.join(selected.defines)}",
                )
            ],
        )


def _text(proof: Proof) -> str:
    lines = [
        f"{proof.library}: registers all {proof.registered} selected ops and kernels, "
        f"and {proof.always} that TensorFlow always registers"
    ]
    if proof.implied:
        lines.append("  and these, because their op and their class are both selected:")
        lines += [f"    {k.op}: {k.clazz}" for k in proof.implied]
    return "\n".join(lines) + "\n"


def _failure(failed: Sequence[Proof], *, several: bool, selection: Path) -> CheckFailed:
    """The error with all problems. If there are several slices, each problem names its slice."""
    problems = [
        Problem(f"{proof.library}: {problem.what}", problem.needed_by, problem.hint)
        if several
        else problem
        for proof in failed
        for problem in proof.problems
    ]
    names = ", ".join(proof.library for proof in failed)
    differences = "1 difference" if len(problems) == 1 else f"{len(problems)} differences"
    return CheckFailed(f"{names}: {differences} from {selection}:", problems)
