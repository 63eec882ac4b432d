"""Tests of the optional sources that a library needs."""

import dataclasses
from pathlib import Path

import pytest

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.releases import known
from tfcarve.runtime_sources.optional_sources import (
    ENVIRONMENT,
    FILE_NAME,
    SHAPE_FUNCTIONS,
    OptionalSource,
    OptionalSources,
    needed,
    part,
    read,
)

_OPTIONAL = OptionalSources(
    (
        OptionalSource("block.cc", ("io::Block::*",), (), False),
        OptionalSource("other.cc", ("io::Other",), (), False),
        OptionalSource("read.cc", ("io::Read",), ("table.cc",), False),
        OptionalSource("table.cc", ("io::Table::*",), ("block.cc",), False),
    )
)


@pytest.mark.parametrize(
    ("symbols", "paths"),
    [
        ((), []),
        (("_ZN2io4ReadEPKc", "_ZN2io5Unknown5Table4FindEv"), ["block.cc", "read.cc", "table.cc"]),
        (("_ZN2io5Table4FindEv",), ["block.cc", "table.cc"]),
        (("_ZTVN2io5TableE",), ["block.cc", "table.cc"]),
        (("_ZN2io5Block4Iter4NextEv", "_ZN2io8Readable4ReadEv", "Read"), []),
    ],
)
def test_needed(symbols: tuple[str, ...], paths: list[str]) -> None:
    assert needed(_OPTIONAL, symbols) == paths


def test_part() -> None:
    assert part(_OPTIONAL, "read.cc") == ["block.cc", "read.cc", "table.cc"]
    assert part(_OPTIONAL, "core.cc") == []


@pytest.mark.parametrize("root", [ENVIRONMENT, SHAPE_FUNCTIONS])
def test_parts_of_a_release_are_optional(root: str) -> None:
    assert len(part(read(known.release()), root)) > 1


def test_sources_that_need_each_other() -> None:
    both = OptionalSources(
        (
            OptionalSource("a.cc", ("a",), ("b.cc",), False),
            OptionalSource("b.cc", ("b",), ("a.cc",), False),
        )
    )
    assert needed(both, ["_Z1bv"]) == ["a.cc", "b.cc"]


def test_a_session_has_its_sources() -> None:
    """Abseil's are not among the objects of the session."""
    sources = OptionalSources(
        (
            OptionalSource("absl/time/clock.cc", ("absl::Now",), (), True),
            OptionalSource(
                "tensorflow/a.cc", ("a",), ("absl/time/clock.cc", "tensorflow/b.cc"), False
            ),
            OptionalSource("tensorflow/b.cc", ("b",), (), True),
        )
    )
    without = ["absl/time/clock.cc", "tensorflow/a.cc"]
    assert needed(sources, ["_Z1av"], ["session"]) == without
    assert needed(sources, ["_Z1av"]) == [*without, "tensorflow/b.cc"]


@pytest.mark.parametrize(
    ("shared", "path"),
    [
        ("environment", "tensorflow/tsl/platform/default/posix_file_system.cc"),
        ("shape-functions", "tensorflow/core/framework/shape_inference.cc"),
        ("str-format", "absl/strings/internal/str_format/output.cc"),
    ],
)
def test_parts_that_libraries_share_are_not_compiled_again(shared: str, path: str) -> None:
    optional = read(known.release())
    users = [source.path for source in optional.sources if path in source.needs]
    assert users
    several = OptionalSources((*optional.sources, OptionalSource("z.cc", ("z",), (path,), False)))
    assert path in needed(several, ["_Z1zv"])
    found = needed(several, ["_Z1zv"], [shared])
    assert path not in found
    assert "z.cc" in found


def test_a_variable_needs_no_graph() -> None:
    """Variables are in many models that are trained on a device, and a graph is in thirty sources."""
    optional = read(known.release())
    (path,) = needed(optional, ["_ZTVN10tensorflow3VarE"])
    assert path.endswith("overrides/core/tensorflow/core/framework/resource_var.cc")
    # The control: TensorFlow's file uses this class.
    graph = needed(optional, ["_ZN10tensorflow11NodeBuilder6DeviceEv"])
    assert "tensorflow/core/graph/graph.cc" in graph


def test_file(tmp_path: Path) -> None:
    release = dataclasses.replace(known.release(), folder=tmp_path)
    assert read(release) == OptionalSources(())
    file = tmp_path / FILE_NAME
    file.write_bytes(json_codec.encode_rows(_OPTIONAL))
    assert read(release) == _OPTIONAL
    file.write_bytes(file.read_bytes().replace(b'"version": 2', b'"version": 1'))
    with pytest.raises(
        InvalidInput, match=r"version 1 is not supported: .*:update_optional_sources"
    ):
        read(release)


def test_needs_of_a_release_are_complete() -> None:
    """Each release's file is sorted, and names only optional sources."""
    for name in known.names():
        sources = read(known.release(name)).sources
        paths = [source.path for source in sources]
        assert paths == sorted(set(paths))
        assert {need for source in sources for need in source.needs} <= set(paths)
        assert len(paths) > 100
