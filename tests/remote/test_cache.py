"""Bazel's remote cache: what another user builds in another checkout comes from it, and a faulty server does no harm."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from e2e.builds.execution_log import Spawn
from remote import cache_server, fresh_workspace
from remote.cache_server import CacheServer
from tfcarve.app.workspace import Workspace

_TARGET = "//:tensorflow"
# A few sources, for tests of a faulty server.
_QUICK = "@tfcarve//tools/runtime/math:loops"


@pytest.fixture(name="server")
def _server(tmp_path: Path) -> Iterator[CacheServer]:
    folder = tmp_path / "server"
    folder.mkdir()
    with cache_server.running(folder) as server:
        yield server


def _built(
    workspace: Workspace, target: str, url: str, *options: str
) -> tuple[Sequence[Spawn], Mapping[str, str]]:
    """Builds a target; returns the commands and the digests of its files."""
    built = fresh_workspace.build(workspace, [target], [*options, f"--remote_cache={url}"])
    return built.spawns, built.digests


def _run_here(spawns: Sequence[Spawn]) -> dict[str, int]:
    """Returns how many commands of each kind did not come from the cache."""
    return dict(collections.Counter(spawn.mnemonic for spawn in spawns if not spawn.cached))


def test_another_user(server: CacheServer, tmp_path: Path) -> None:
    with fresh_workspace.opened() as workspace:
        first, files = _built(workspace, _TARGET, server.url)
    assert len(first) > 100
    assert not any(spawn.cached for spawn in first)
    with fresh_workspace.another_user(tmp_path), fresh_workspace.opened() as workspace:
        second, same = _built(workspace, _TARGET, server.url)
        assert _run_here(second) == {}
        assert len(second) == len(first)
        assert same == files
        # Another model with the same ops: its manifest is compiled and its library is linked.
        model = tmp_path / "tiny.pb"
        text = (workspace.folder / "tiny.pb").read_bytes()
        assert text.count(b"dense") > 1
        model.write_bytes(text.replace(b"dense", b"layer"))
        workspace.place(".", {"tiny.pb": model}, "tiny.pb")
        third, others = _built(workspace, _TARGET, server.url)
        assert _run_here(third)["CppCompile"] == 1
        assert others.keys() == files.keys()
        assert others != files


def test_documented_configurations(server: CacheServer) -> None:
    with fresh_workspace.opened() as workspace:
        _built(workspace, _QUICK, server.url, "--config=cache")
        assert server.contents() == []
        workspace.bazel(["clean"])
        _, files = _built(workspace, _QUICK, server.url, "--config=fill_cache")
        assert server.contents()
        workspace.bazel(["clean"])
        again, same = _built(workspace, _QUICK, server.url, "--config=cache")
        assert _run_here(again) == {}
        assert same == files


def test_changed_contents_are_not_used(server: CacheServer) -> None:
    with fresh_workspace.opened() as workspace:
        _, files = _built(workspace, _QUICK, server.url)
        for file in server.contents():
            data = bytearray(file.read_bytes())
            if data:
                data[len(data) // 2] ^= 1
                file.write_bytes(data)
        workspace.bazel(["clean"])
        again, same = _built(workspace, _QUICK, server.url)
        assert "CppCompile" in _run_here(again)
        assert same == files


def test_full_server(tmp_path: Path) -> None:
    """It refuses contents; the build does not need it."""
    folder = tmp_path / "full"
    folder.mkdir()
    with (
        cache_server.running(folder, largest=1) as server,
        fresh_workspace.opened() as workspace,
    ):
        first, files = _built(workspace, _QUICK, server.url)
        assert _run_here(first)["CppCompile"] > 1
        assert len(files) == 1
        assert server.contents() == []


def test_server_that_is_down(server: CacheServer) -> None:
    with fresh_workspace.opened() as workspace:
        _, files = _built(workspace, _QUICK, server.url)
        workspace.bazel(["clean"])
        with cache_server.running(server.folder) as other:
            url = other.url
        again, same = _built(workspace, _QUICK, url)
        assert "CppCompile" in _run_here(again)
        assert same == files
