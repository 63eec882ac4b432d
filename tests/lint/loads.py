"""What .bzl files load, and which rules about the layout of rules/ they break. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

# The only file that declares outputs with the target's name in their paths.
DECLARE = "rules/private/outputs/declare.bzl"
# The only file that names the TensorFlow release of the build.
RELEASE = "rules/private/tensorflow/release.bzl"

_OWN_NAME = re.compile(r"\.declare_(?:directory|file)\([^\n]*ctx\.label\.name")
_RELEASE_LABEL = re.compile(r'"@tfcarve_tensorflow//')


def loaded(text: str) -> list[str]:
    """Returns the labels of the files that a .bzl file loads, in order."""
    calls = [
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ]
    labels = [
        call.args[0]
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "load" and call.args
    ]
    return [str(label.value) for label in labels if isinstance(label, ast.Constant)]


def folders(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Returns the folders below `rules/`, each with the other folders below `rules/` that its files load from.

    `rules/` itself is not among them: it has what apps load and the providers, so it is above and below the others.

    Args:
        files: path of each .bzl file to its text.
    """
    graph: dict[str, set[str]] = {}
    for file, text in files.items():
        folder = file.rpartition("/")[0]
        targets = {label[2:].partition(":")[0] for label in loaded(text) if label.startswith("//")}
        if folder.startswith("rules/"):
            below = {target for target in targets if target.startswith("rules/")}
            graph.setdefault(folder, set()).update(below - {folder})
    return graph


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """Returns a cycle of `graph`, its first node repeated at the end; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        nodes: list[str] = error.args[1]
        return nodes
    return []


def own_names(files: Mapping[str, str]) -> list[str]:
    """Returns the files other than DECLARE that declare an output with the target's name in its path."""
    return sorted(
        file for file, text in files.items() if file != DECLARE and _OWN_NAME.search(text)
    )


def named_releases(files: Mapping[str, str]) -> list[str]:
    """Returns the files other than RELEASE that have a label of the TensorFlow release of the build."""
    return sorted(
        file for file, text in files.items() if file != RELEASE and _RELEASE_LABEL.search(text)
    )
