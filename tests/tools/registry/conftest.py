"""Fixtures for tests of indexing a tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tfcarve.registry import preprocess
from tfcarve.registry.settings import Settings


@pytest.fixture
def preprocessed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list to which each source is added when it is preprocessed."""
    seen: list[str] = []
    real = preprocess.run

    def run(settings: Settings, skeletons: Path, sources: Sequence[str]) -> str:
        seen.extend(s for s in sources if s.startswith("tensorflow/"))
        return real(settings, skeletons, sources)

    monkeypatch.setattr(preprocess, "run", run)
    return seen
