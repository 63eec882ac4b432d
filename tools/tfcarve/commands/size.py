"""`tfcarve size`: attributes the bytes of a built library."""

import argparse
import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tfcarve import files, json_codec
from tfcarve.commands import common, options, size_common
from tfcarve.errors import InvalidInput
from tfcarve.objfile.open_linked import open_linked
from tfcarve.releases import known
from tfcarve.selection.selection import Selection
from tfcarve.size import attribute, history, link_line, link_map, marginal, page
from tfcarve.size import report as reports
from tfcarve.size.marginal import MarginalSize
from tfcarve.size.origin import Origins, generated_sources
from tfcarve.size.owners import Owners
from tfcarve.size.report import MEASURES, Entry, Report

NAME = "size"
HELP = "attributes the bytes of a built library to parts, files, kernel classes, ops and models"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "library",
        type=Path,
        metavar="LIBRARY|REPORT",
        help="a stripped library, with --map, --link and --selection; or a report",
    )
    parser.add_argument("--map", type=Path, metavar="FILE", help="the library's linker map")
    parser.add_argument(
        "--selection", type=Path, metavar="FILE", help="the library's selection.json"
    )
    size_common.add_link_arguments(parser, required=False)
    parser.add_argument(
        "--by",
        choices=("part", "file", "class", "op", "model", "symbol"),
        default="part",
        help="the kind of the table's rows (default: part)",
    )
    parser.add_argument("--json", action="store_true", help="prints JSON")
    for flags, form in ((("-o", "--output"), "JSON"), (("--html",), "an HTML page")):
        parser.add_argument(
            *flags,
            type=options.output_file,
            metavar="FILE",
            help=f"writes the report as {form}; {options.OR_DASH}",
        )
    parser.add_argument(
        "--since",
        type=Path,
        metavar="REPORT",
        help="an earlier report, for a section of the HTML page about the changes",
    )
    parser.add_argument(
        "--no-history",
        action="store_true",
        help="does not add the library to the size history in the user's cache, which size-predict uses",
    )
    parser.add_argument(
        "--marginal-sizes",
        type=Path,
        metavar="FILE",
        help="output of `tfcarve size-marginal --json`, for a section of the HTML page",
    )


def _measured(arguments: argparse.Namespace, library: bytes) -> Report:
    if not (arguments.map and arguments.selection and arguments.link):
        raise InvalidInput(f"{arguments.library}: a library requires --map, --selection and --link")
    selection = common.load_selection(arguments.selection)
    line = link_line.load(arguments.link, arguments.root)
    text = files.read_bytes(arguments.map).decode(errors="replace")
    release = known.for_version(selection.tensorflow.version)
    report = attribute.report(
        line.platform,
        library,
        open_linked(library, str(arguments.library)),
        link_map.parse(text, str(arguments.map)),
        line.objects(),
        selection,
        Origins(line.libraries, generated_sources(selection, release)),
    )
    if not arguments.no_history:
        _remember(selection, report, line)
    return report


def _remember(selection: Selection, report: Report, line: link_line.LinkLine) -> None:
    argv = (*line.compile.argv, *line.hot_compile.argv)
    flags = hashlib.sha256("\0".join(argv).encode()).hexdigest()[:16]
    path = history.path(report.platform, flags)
    known = history.add(history.load(path), selection, report)
    files.write_if_changed(path, json_codec.encode(known))


def run(arguments: argparse.Namespace) -> int:
    """Measures a library or reads a report; writes the requested files, or prints a table."""
    data = files.read_bytes(arguments.library)
    if data[:1] == b"{":
        where = str(arguments.library)
        report = reports.parse(data, where)
    else:
        report = _measured(arguments, data)
    if arguments.output is not None:
        files.write_if_changed(arguments.output, report.to_json())
    if arguments.html is not None:
        since = size_common.load_report(arguments.since) if arguments.since else None
        marginal_sizes: Sequence[MarginalSize] = ()
        if arguments.marginal_sizes:
            path = arguments.marginal_sizes
            marginal_sizes = marginal.parse(files.read_bytes(path), str(path))
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
        "symbol": lambda e: e.symbol or "smaller symbols",
    }
    whole = report.sizes["stripped"]
    rows = [
        {"bytes": size if as_json else f"{size:>10,}", "share": f"{size / whole:.2%}", by: name}
        for name, size in report.by(keys[by]).items()
    ]
    common.table(rows, ("bytes", "share", by), as_json)
    if not as_json:
        sizes = ", ".join(f"{measure} {report.sizes[measure]:,}" for measure in MEASURES)
        print(f"\n{report.platform}: {sizes}; {report.attributed / whole:.2%} attributed")
