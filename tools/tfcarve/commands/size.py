"""`tfcarve size`: what a library's bytes are for."""

import argparse
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

from tfcarve import files, mach
from tfcarve.commands import common, size_common
from tfcarve.commands.size_marginal import parse_marginal_sizes
from tfcarve.errors import InvalidInput
from tfcarve.selection.selection import Selection
from tfcarve.size import attribute, history, link_line, link_map, page
from tfcarve.size import report as reports
from tfcarve.size.binary import Binary
from tfcarve.size.elf import Elf
from tfcarve.size.macho import MachO
from tfcarve.size.owners import Owners
from tfcarve.size.report import Entry, Report

NAME = "size"
HELP = "shows what a built library's bytes are for: parts, files, kernel classes, ops, models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "library",
        type=Path,
        metavar="LIBRARY|REPORT",
        help="the stripped library, with --map, --link and --selection; or a report that was kept",
    )
    parser.add_argument("--map", type=Path, metavar="FILE", help="the linker's map of its link")
    parser.add_argument("--selection", type=Path, metavar="FILE", help="its selection.json")
    size_common.add_link_arguments(parser, required=False)
    parser.add_argument(
        "--by",
        choices=("part", "file", "class", "op", "model", "symbol"),
        default="part",
        help="what the table is about",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where the report goes as JSON"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="where it goes as a page")
    parser.add_argument(
        "--since",
        type=Path,
        metavar="REPORT",
        help="an earlier report: the page tells what changed",
    )
    parser.add_argument(
        "--no-keep",
        action="store_true",
        help="leaves what size-predict knows as it is; else the units' bytes are kept in the user's cache",
    )
    parser.add_argument(
        "--marginal_sizes",
        type=Path,
        metavar="FILE",
        help="what size-marginal printed with --json, for the page",
    )


def _binary(data: bytes, where: str) -> Binary:
    return MachO(data, where) if data.startswith(mach.MAGIC_64) else Elf(data, where)


def _measured(arguments: argparse.Namespace, library: bytes) -> Report:
    if not (arguments.map and arguments.selection and arguments.link):
        raise InvalidInput(f"{arguments.library}: a library needs --map, --selection and --link")
    selection = common.load_selection(arguments.selection)
    line = link_line.load(arguments.link, arguments.root)
    text = files.read_bytes(arguments.map).decode(errors="replace")
    report = attribute.report(
        line.platform,
        library,
        _binary(library, str(arguments.library)),
        link_map.parse(text, str(arguments.map)),
        line.objects(),
        selection,
    )
    if not arguments.no_keep:
        _keep(selection, report, line)
    return report


def _keep(selection: Selection, report: Report, line: link_line.LinkLine) -> None:
    argv = (*line.compile.argv, *line.hot_compile.argv)
    flags = hashlib.sha256("\0".join(argv).encode()).hexdigest()[:16]
    path = history.path(report.platform, flags)
    files.write_if_changed(
        path, history.to_json(history.add(history.load(path), selection, report))
    )


def run(arguments: argparse.Namespace) -> int:
    """Measures, and prints and writes what is asked for."""
    data = files.read_bytes(arguments.library)
    if data[:1] == b"{":
        where = str(arguments.library)
        report = reports.parse(files.whole_characters(data, where), where)
    else:
        report = _measured(arguments, data)
    if arguments.output is not None:
        files.write_if_changed(arguments.output, report.to_json())
    if arguments.html is not None:
        since = size_common.load_report(arguments.since) if arguments.since else None
        marginal_sizes = (
            parse_marginal_sizes(arguments.marginal_sizes) if arguments.marginal_sizes else ()
        )
        files.write_if_changed(arguments.html, page.page(report, since, marginal_sizes))
    if arguments.output is None and arguments.html is None:
        _print(report, arguments.by, arguments.json)
    return 0


def _print(report: Report, by: str, as_json: bool) -> None:
    owners = Owners(report)
    keys: Mapping[str, Callable[[Entry], str]] = {
        "part": lambda e: e.part if e.part != "unattributed" else f"{e.part}: {e.file}",
        "file": lambda e: e.file,
        "class": lambda e: e.clazz or "no kernel class",
        "op": owners.op,
        "model": owners.model,
        "symbol": lambda e: e.symbol or "smaller ones",
    }
    whole = report.sizes["stripped"]
    rows = [
        {"bytes": size if as_json else f"{size:>10,}", "share": f"{size / whole:.2%}", by: name}
        for name, size in report.by(keys[by]).items()
    ]
    common.table(rows, ("bytes", "share", by), as_json)
    if not as_json:
        sizes = ", ".join(f"{measure} {size:,}" for measure, size in report.sizes.items())
        print(f"\n{report.platform}: {sizes}; {report.attributed / whole:.2%} attributed")
