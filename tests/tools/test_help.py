"""Help texts of all subcommands: third person, none empty, defaults as `(default: …)` at the end."""

import argparse
import re
import shlex
from collections.abc import Iterator, Mapping

import pytest

from tfcarve import cli, commands
from tfcarve.overview import EXAMPLES, overview

# The imperative form of a verb at the start.
_IMPERATIVE = re.compile(
    r"(?:(?:also|only) )?(?:add|allow|build|check|compare|compile|compute|copy|draw|encrypt|fail|feed|freeze|fuse|give|let|"
    r"list|lower|make|measure|pass|print|read|register|remove|rename|run|select|show|skip|specify|take|transform|unroll|"
    r"use|warn|write)\b"
)
# Names that contain the word.
_NAMES = re.compile(r"serving_default|DEFAULT")
_DEFAULT = re.compile(r"\(default: .+\)$")


def _problems(action: argparse.Action) -> list[str]:
    """Returns what is wrong with the help of an argument."""
    text = action.help or ""
    if not text.strip():
        return ["empty"]
    found = []
    if _IMPERATIVE.match(text):
        found.append("imperative")
    stated = _DEFAULT.search(text)
    if "default" in _NAMES.sub("", _DEFAULT.sub("", text)).lower():
        found.append("a default that is not `(default: …)` at the end")
    if action.default not in (None, "", (), []) and action.default is not False and not stated:
        found.append("no default")
    return found


def _commands() -> Mapping[str, argparse.ArgumentParser]:
    """Returns the parsers of the subcommands, by name."""
    (commands,) = (a for a in cli.parser()._actions if isinstance(a, argparse._SubParsersAction))
    return commands.choices


def _arguments() -> Iterator[tuple[str, argparse.Action]]:
    """Yields the subcommands' names and their arguments."""
    for name, command in _commands().items():
        for action in command._actions:
            if not isinstance(action, argparse._HelpAction):
                yield name, action


def test_helps() -> None:
    arguments = list(_arguments())
    assert len(arguments) > 100
    wrong = [
        f"{command} {action.dest}: {problem}: {action.help}"
        for command, action in arguments
        for problem in _problems(action)
    ]
    assert not wrong, "\n".join(wrong)


def test_descriptions_begin_with_a_verb_in_third_person() -> None:
    for name, command in _commands().items():
        assert re.match(r"[a-z]+s ", command.description or ""), f"{name}: {command.description}"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "empty"),
        ({"help": " "}, "empty"),
        ({"help": "print JSON"}, "imperative"),
        ({"help": "also print a table"}, "imperative"),
        ({"help": "run nothing: show FIGURES"}, "imperative"),
        ({"help": "number of runs; default: 20"}, "a default that is not"),
        ({"help": "a list (default: all); may be repeated"}, "a default that is not"),
        ({"help": "minmax (default); entropy"}, "a default that is not"),
        ({"help": "the program; by default nm"}, "a default that is not"),
        ({"help": "the program", "default": "nm"}, "no default"),
        ({"help": "number of runs", "default": 0}, "no default"),
    ],
)
def test_a_wrong_help_is_found(options: dict[str, object], problem: str) -> None:
    action = argparse.Action(["--option"], "option", **options)  # type: ignore[arg-type]
    assert any(found.startswith(problem) for found in _problems(action))


@pytest.mark.parametrize(
    "options",
    [
        {"help": "prints JSON"},
        {"help": "also prints a table"},
        {"help": "the signature (default: serving_default)"},
        {"help": "kernels of DEFAULT, too"},
        {"help": "number of runs (default: 20)", "default": 20},
        {"help": "a file; may be repeated", "default": []},
        {"help": "prints JSON", "default": False},
    ],
)
def test_a_right_help_is_accepted(options: dict[str, object]) -> None:
    assert not _problems(argparse.Action(["--option"], "option", **options))  # type: ignore[arg-type]


def test_the_overview_has_each_command_once_in_its_group(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out
    places = [[m.start() for m in re.finditer(rf"^  {n} +\S", text, re.M)] for n in commands.NAMES]
    assert {len(found) for found in places} == {1}
    assert places == sorted(places)
    titles = [text.index(f"\n{title}:\n") for title in commands.GROUPS]
    first = [text.index(f"\n  {names[0]} ") for names in commands.GROUPS.values()]
    assert sorted([*titles, *first]) == [
        n for pair in zip(titles, first, strict=True) for n in pair
    ]
    assert text.rstrip().endswith("\n".join(f"  {example}" for example in EXAMPLES))
    assert max(map(len, text.splitlines())) <= 100


def test_overview() -> None:
    groups, helps = (
        {"A": ("one",), "B": ("other-one",)},
        {"one": "does one thing", "other-one": "lists"},
    )
    text = overview(groups, helps, 22)
    assert text.startswith(
        "A:\n  one        does one\n             thing\n\nB:\n  other-one  lists\n\nExamples:\n"
    )
    assert overview(groups, helps, 1) == overview(groups, helps, 26)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_valid(example: str) -> None:
    program, *arguments = shlex.split(example)
    assert program == "tfcarve"
    cli.parser().parse_args(arguments)
