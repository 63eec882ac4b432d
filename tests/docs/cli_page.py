"""docs/reference/cli.md: the command line, from its argparse parsers."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from docs.markdown import NOTE, cell, code, escaped, table

_INTRODUCTION = """\
Exit status: 0, success; 1, a check failed (a missing kernel, a budget that is exceeded, outputs that differ); 2, invalid
input or usage; 3, an error in tfcarve. Messages go to standard error.

An output file `-` is standard output; then what the command also prints goes to standard error. Options that name a folder,
or one of several files, refuse it. A symbolic link stays, and the file that it names is written.
"""


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The parsers of the subcommands, by name, in the order of the help text."""
    (action,) = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return action.choices


def _usage(parser: argparse.ArgumentParser) -> str:
    """The usage on lines of at most 100 characters, independent of the terminal."""

    def formatter(prog: str) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(prog, width=100)

    parser.formatter_class = formatter
    lead = "usage: "
    lines = parser.format_usage().splitlines()
    return "\n".join([lines[0].removeprefix(lead), *(line[len(lead) :] for line in lines[1:])])


def _name(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else None
    if isinstance(action.metavar, tuple):
        value = " ".join(action.metavar)
    if not action.option_strings:
        return value or action.dest
    if value is None and action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if action.nargs != 0:
        value = value or action.dest.upper()
    return ", ".join(action.option_strings) + (f" {value}" if value else "")


def _meaning(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    help_text = action.help or ""
    return cell(help_text % {**vars(action), "prog": parser.prog})


def _sentence(help_text: str) -> str:
    return f"{help_text[:1].upper()}{help_text[1:]}."


def _command(name: str, parser: argparse.ArgumentParser) -> list[str]:
    rows = [
        [code(_name(action)), _meaning(action, parser)]
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction)
    ]
    return [
        f"## {name}\n",
        escaped(f"{_sentence(parser.description or '')}\n"),
        f"```text\n{_usage(parser)}\n```\n",
        table(["Argument", "Meaning"], rows),
    ]


def _groups(groups: Mapping[str, Sequence[str]]) -> str:
    rows = [
        [title, ", ".join(f"[{name}](#{name})" for name in names)]
        for title, names in groups.items()
    ]
    return table(["Group", "Commands"], rows)


def markdown(parser: argparse.ArgumentParser, groups: Mapping[str, Sequence[str]]) -> str:
    """Returns the page of a parser with subcommands, whose names `groups` has by the title of their group."""
    parts = [NOTE, "# Command line\n", f"{parser.description}\n", _INTRODUCTION, _groups(groups)]
    for name, command in _commands(parser).items():
        parts += _command(name, command)
    return "\n".join(parts)
