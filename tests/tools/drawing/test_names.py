"""Tests of names as paths of name scopes."""

import pytest

from tfcarve.drawing import names


@pytest.mark.parametrize(
    ("node", "depth", "box"),
    [
        ("x", 1, "x"),
        ("x", 3, "x"),
        ("a/b/c", 1, "a/"),
        ("a/b/c", 2, "a/b/"),
        ("a/b/c", 3, "a/b/c"),
        ("a//b", 2, "a//"),
        ("/a", 1, "/"),
        ("a/", 1, "a/"),
        ("", 1, ""),
    ],
)
def test_box_name(node: str, depth: int, box: str) -> None:
    assert names.box_name(node, depth) == box


@pytest.mark.parametrize(
    ("box", "scopes", "short"),
    [
        ("x", [], "x"),
        ("a/", [], "a"),
        ("a/b/c", ["a/", "a/b/"], "c"),
        ("a/b/c/", ["a/", "a/b/"], "c"),
        ("", [], ""),
        ("/", [], ""),
    ],
)
def test_scopes(box: str, scopes: list[str], short: str) -> None:
    assert list(names.scopes(box)) == scopes
    assert names.short(box) == short


@pytest.mark.parametrize(
    ("nodes", "limit", "counts"),
    [
        (["x", "y"], 5, [2]),
        (["a/x", "a/y", "b"], 5, [2, 3]),
        (["a/b/x", "a/b/y", "a/c"], 5, [1, 2, 3]),
        (["a/b/x", "a/b/y", "a/c"], 2, [1, 2, 3]),
        (["a/b/x", "a/b/y", "a/c"], 1, [1, 2]),
        (["x", "y", "z"], 1, [2]),
        ([], 1, [0]),
        (["a/" * 40 + "x", "a/" * 40 + "y"], 5, [1] * names.MAX_DEPTH),
    ],
)
def test_box_counts(nodes: list[str], limit: int, counts: list[int]) -> None:
    assert names.box_counts(nodes, limit) == counts
