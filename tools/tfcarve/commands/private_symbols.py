"""`tfcarve private-symbols`: copies static libraries and renames symbols that other libraries may define."""

import argparse
import subprocess
import tempfile
from pathlib import Path

from tfcarve import files
from tfcarve.commands import options
from tfcarve.emit.private_symbols import defined, redefinitions
from tfcarve.errors import InvalidInput
from tfcarve.interface import Kind

NAME = "private-symbols"
HELP = "renames all symbols that static libraries define, except the C interface"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "--nm",
        default="nm",
        metavar="PROGRAM",
        help="nm of the target's toolchain (default: %(default)s)",
    )
    parser.add_argument(
        "--objcopy",
        default="objcopy",
        metavar="PROGRAM",
        help="objcopy of the target's toolchain (default: %(default)s)",
    )
    parser.add_argument(
        "--flex",
        action="store_true",
        help="the libraries are for a Flex delegate: only the functions of a delegate stay public",
    )
    parser.add_argument(
        "--archive",
        nargs=2,
        type=options.not_standard_output("several libraries can be written"),
        action="append",
        required=True,
        metavar=("IN.a", "OUT.a"),
        help="a library and where its copy goes; pass all libraries that are linked together",
    )


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, check=False, text=True, capture_output=True)
    except OSError as error:
        raise InvalidInput(f"{command[0]}: cannot be run: {error.strerror}") from None
    if done.returncode:
        raise InvalidInput(f"{' '.join(command)}: {done.stderr.strip()[-400:]}")
    return done.stdout


def run(arguments: argparse.Namespace) -> int:
    """Writes all copies, or none if there is a problem."""
    sources = [str(source) for source, _ in arguments.archive]
    for source in sources:
        files.read_bytes(Path(source))
    symbols = defined(_run([arguments.nm, "-P", "-a", "--defined-only", *sources]))
    if not symbols:
        raise InvalidInput(f"{' '.join(sources)}: no object defines a symbol")
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as folder:
        table = Path(folder, "table.syms")
        table.write_bytes(redefinitions(symbols, Kind.FLEX if arguments.flex else Kind.SESSION))
        copies = {}
        for number, (source, output) in enumerate(arguments.archive):
            copies[output] = Path(folder, f"{number}.a")
            rename = f"--redefine-syms={table}"
            _run([arguments.objcopy, rename, str(source), str(copies[output])])
        for output, renamed in copies.items():
            files.copy(renamed, output)
    return 0
