"""The cache of the zoo's models, which tests share that run at the same time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from zoo import cached

_NAME = "examples"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached.files, "cache_directory", lambda: tmp_path)


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_ino, status.st_mtime_ns


def test_model_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = cached.load(_NAME)
    monkeypatch.setattr(cached, "MODELS", {})
    assert cached.load(_NAME) == first
    with pytest.raises(KeyError):
        cached.load("another")


def test_model_that_another_test_has_built_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = cached.MODELS[_NAME]
    others: list[tuple[int, int]] = []

    def slow() -> Any:
        # The other test is faster.
        with monkeypatch.context() as patched:
            patched.setattr(cached, "MODELS", {_NAME: build})
            others.append(_state(cached.load(_NAME).model))
        return build()

    monkeypatch.setattr(cached, "MODELS", {_NAME: slow})
    assert [_state(cached.load(_NAME).model)] == others
    assert [file.name for file in tmp_path.glob("zoo/*/*")] == [_NAME]
