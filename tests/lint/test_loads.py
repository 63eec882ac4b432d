"""The .bzl files of rules/ load each other without cycles between folders, and name each fact in one file."""

from __future__ import annotations

import pytest

from docs.tree import ROOT, tracked
from lint import loads


@pytest.fixture(name="rules", scope="module")
def _rules() -> dict[str, str]:
    names = [name for name in tracked() if name.startswith("rules/") and name.endswith(".bzl")]
    assert len(names) > 40
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


def test_folders_load_each_other_without_cycles(rules: dict[str, str]) -> None:
    graph = loads.folders(rules)
    assert "rules/private/tensorflow" in graph["rules/private/library"]
    assert loads.cycle(graph) == []


def test_a_cycle_between_folders_is_found(rules: dict[str, str]) -> None:
    declare = f'load("//rules/private/library:units.bzl", "units")\n{rules[loads.DECLARE]}'
    found = loads.cycle(loads.folders(rules | {loads.DECLARE: declare}))
    assert found[0] == found[-1]
    assert {"rules/private/library", "rules/private/outputs"} <= set(found)


def test_loads_of_the_same_folder_and_of_other_repositories_are_no_cycle() -> None:
    text = (
        '"""load("//rules/b:b.bzl", "in_a_docstring")"""\n'
        'load("@bazel_skylib//lib:shell.bzl", "shell")\n'
        'load("//rules:providers.bzl", "Info")\n'
        'load("//rules/a:other.bzl", "x")\n'
        'load(":other.bzl", "y")\n'
        'load("//rules/c:c.bzl", renamed = "z")\n'
    )
    assert loads.folders({"rules/a/a.bzl": text}) == {"rules/a": {"rules/c"}}


def test_outputs_with_the_target_s_name_are_declared_in_one_file(rules: dict[str, str]) -> None:
    assert "ctx.label.name" in rules[loads.DECLARE]
    assert loads.own_names(rules) == []


@pytest.mark.parametrize(
    "text",
    [
        "x = ctx.actions.declare_file(ctx.label.name)",
        'x = ctx.actions.declare_file(ctx.label.name + ".json")',
        'x = ctx.actions.declare_directory("%s/%s" % (ctx.label.name, name))',
    ],
)
def test_a_declaration_elsewhere_is_found(text: str) -> None:
    assert loads.own_names({"rules/a/a.bzl": text, loads.DECLARE: text}) == ["rules/a/a.bzl"]


def test_the_release_is_named_in_one_file(rules: dict[str, str]) -> None:
    assert '"@tfcarve_tensorflow//' in rules[loads.RELEASE]
    assert loads.named_releases(rules) == []


def test_a_label_of_the_release_elsewhere_is_found() -> None:
    text = 'X = Label("@tfcarve_tensorflow//:release")'
    assert loads.named_releases({"rules/a/a.bzl": text, loads.RELEASE: text}) == ["rules/a/a.bzl"]
