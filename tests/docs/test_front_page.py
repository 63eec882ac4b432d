"""README.md: its length, its figures and its code; docs/demo.md: its output."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from docs import front_page, module_info
from docs.blocks import blocks, contains, lines
from docs.module_info import Symbol
from docs.tree import ROOT

_README = (ROOT / "README.md").read_text(encoding="utf-8")
_MOST_LINES = 90
_BUILD_LINES = 6
# The path of the README's app to a checkout, and that of the tested app.
_PATHS = ("../tfcarve", "../../..")


def _starlark(page: str) -> list[str]:
    return [block.text for block in blocks(page) if block.kind == "starlark"]


@pytest.fixture(name="rules", scope="module")
def _rules() -> Mapping[str, Symbol]:
    file = Path(os.environ["RUNFILES_DIR"]) / os.environ["RULES_DOC"]
    return {rule.name: rule for rule in module_info.parse(file.read_bytes()).functions}


def _problems(build: str, rules: Mapping[str, Symbol]) -> list[str]:
    """Returns what Bazel would refuse in a BUILD file that uses only tfcarve's rules."""
    found: list[str] = []
    loaded: dict[str, Any] = {}

    def rule(name: str) -> Callable[..., None]:
        def call(**arguments: object) -> None:
            known = {one.name: one for one in rules[name].parameters}
            found.extend(f"{name}: no parameter {one}" for one in arguments.keys() - known.keys())
            needed = {one for one, parameter in known.items() if parameter.mandatory}
            found.extend(f"{name}: {one} is missing" for one in needed - arguments.keys())

        return call

    def load(file: str, *names: str) -> None:
        if file != "@tfcarve//rules:defs.bzl":
            found.append(f"{file} is not tfcarve's")
        found.extend(f"no rule {name}" for name in names if name not in rules)
        loaded.update({name: rule(name) for name in names if name in rules})

    loaded["load"] = load
    try:
        exec(build, loaded)
    except NameError as error:
        found.append(str(error))
    return found


def test_it_is_short() -> None:
    assert len(_README.splitlines()) <= _MOST_LINES


def test_the_build_file_is_complete(rules: Mapping[str, Symbol]) -> None:
    build, _ = _starlark(_README)
    assert len(build.splitlines()) == _BUILD_LINES
    assert not _problems(build, rules)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("models =", "model =", "no parameter model"),
        ("    name = ", "    tags = ", "name is missing"),
        (', "tf_mobile_library")', ")", "is not defined"),
        ("tf_mobile_library", "tf_tiny_library", "no rule tf_tiny_library"),
        ("@tfcarve", "@other", "is not tfcarve's"),
    ],
)
def test_a_wrong_build_file_is_found(
    old: str, new: str, problem: str, rules: Mapping[str, Symbol]
) -> None:
    build, _ = _starlark(_README)
    assert old in build
    assert any(problem in found for found in _problems(build.replace(old, new), rules))


def test_the_module_file_is_that_of_an_app() -> None:
    _, module = _starlark(_README)
    tested = lines((ROOT / "tests/e2e/bzlmod/MODULE.bazel").read_text(encoding="utf-8"))
    assert _PATHS[0] in module
    assert contains(tested, lines(module.replace(*_PATHS)))
    assert not contains(tested, lines(module))


def test_the_output_of_the_demo() -> None:
    (block,) = blocks((ROOT / "docs/demo.md").read_text(encoding="utf-8"))
    assert re.search(r"^linux_arm64 +[\d,]+ +[\d,]+ +\d", block.text, re.MULTILINE)
    assert re.findall(r"^\[(\d)/7\]", block.text, re.MULTILINE) == list("123456")


_PAGES = {
    "benchmarks/results/SIZES.md": "# Sizes of libraries\n| inception_v3 | linux_x86_64 | 1,234,567 | 1 |\n",
    "benchmarks/results/HISTORY.md": "## All portable kernels\n| linux_x86_64 | 9,876,543 (8.0) | 1 |\n## B\n",
    "benchmarks/results/SPEED.md": "".join(
        f"### {heading}\n"
        "| Model | tfcarve, prepared | tfcarve | TensorFlow, oneDNN | TensorFlow | TensorFlow Lite |\n"
        f"| inception_v3 | {' | '.join(f'{number}{unit} (9)' for number in range(1, 6))} |\n"
        for heading, unit in {
            "CPU time, one thread": "",
            "From loading to the first result, one thread": "",
            "Anonymous memory, one thread": " MB",
        }.items()
    ),
}


def test_figures() -> None:
    rows = front_page.markdown(_PAGES).splitlines()
    assert rows[2].startswith("| size of the library | 1.2 MB | 9.9 MB with all kernels ")
    assert " | 2 ms; prepared 1 ms | 3 ms | 5 ms | " in rows[3]
    assert " | 2 MB; prepared 1 MB | 3 MB | 5 MB | " in rows[5]


@pytest.mark.parametrize(
    ("page", "old", "message"),
    [
        (
            "benchmarks/results/SIZES.md",
            "linux_x86_64",
            "lacks the row inception_v3 | linux_x86_64",
        ),
        (
            "benchmarks/results/HISTORY.md",
            "All portable",
            "lacks the heading 'All portable kernels'",
        ),
        ("benchmarks/results/SPEED.md", "inception_v3", "lacks the row inception_v3"),
    ],
)
def test_a_missing_figure(page: str, old: str, message: str) -> None:
    pages = {**_PAGES, page: _PAGES[page].replace(old, "other")}
    with pytest.raises(ValueError, match=re.escape(message)):
        front_page.markdown(pages)


def test_a_readme_without_marks() -> None:
    with pytest.raises(ValueError, match=r"README\.md lacks the line <!-- figures"):
        front_page.placed("# tfcarve\n", _PAGES)
