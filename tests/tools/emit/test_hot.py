"""Tests of the table of hot sources."""

import re
from collections import Counter
from fnmatch import fnmatchcase

import pytest
import trees

from tfcarve.emit import hot
from tfcarve.errors import InvalidInput
from tfcarve.releases import known

_KERNELS = "tensorflow/core/kernels"


def _sources() -> list[str]:
    root = trees.tensorflow()
    return [str(p.relative_to(root)) for p in (root / _KERNELS).rglob("*.cc")]


def test_each_pattern_matches_sources_of_tensorflow() -> None:
    sources = _sources()
    patterns = [pattern for group in hot.groups(known.release()) for pattern in group.sources]
    assert len(patterns) > 10
    assert not [p for p in patterns if not any(fnmatchcase(source, p) for source in sources)]
    assert not any(fnmatchcase(source, f"{_KERNELS}/renamed_op.cc") for source in sources)


def test_groups_are_disjoint() -> None:
    found = Counter(
        (source, group.name)
        for source in _sources()
        for group in hot.groups(known.release())
        if any(fnmatchcase(source, pattern) for pattern in group.sources)
    )
    assert len(found) > 10
    assert not [source for source, n in Counter(source for source, _ in found).items() if n > 1]


def test_most_sources_are_compiled_for_size() -> None:
    sources = _sources()
    assert (
        sum(hot.group_of(source, known.release()) is not None for source in sources)
        < len(sources) / 4
    )


def test_groups_say_why() -> None:
    assert all(group.why and group.name and group.sources for group in hot.groups(known.release()))


@pytest.mark.parametrize(
    ("source", "group"),
    [
        (f"{_KERNELS}/conv_ops_3d.cc", "convolutions"),
        (f"{_KERNELS}/conv_ops_float.cc", None),
        (f"{_KERNELS}/matmul_op_real.cc", "matrix products"),
        (f"{_KERNELS}/no_op.cc", None),
        ("tensorflow/core/ops/nn_ops.cc", None),
        ("conv_ops_3d.cc", None),
        (f"/app/{_KERNELS}/conv_ops_3d.cc", None),
    ],
)
def test_group_of(source: str, group: str | None) -> None:
    found = hot.group_of(source, known.release())
    assert (found.name if found else None) == group


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "Expected `object`, got `array`"),
        ({}, "missing required field `groups`"),
        ({"groups": [{"name": "x", "why": "y"}]}, "missing required field `sources`"),
        ({"groups": [{"name": "x", "why": "y", "sources": "z.cc"}]}, "Expected `array`, got `str`"),
        ({"groups": [{"name": 1, "why": "y", "sources": []}]}, "Expected `str`, got `int`"),
    ],
)
def test_bad_tables(document: object, message: str) -> None:
    with pytest.raises(InvalidInput, match="hot.yaml: .*" + re.escape(message)):
        hot.parse(document, "hot.yaml")
