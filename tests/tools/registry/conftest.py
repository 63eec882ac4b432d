"""What the tests of the scan share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tfcarve.registry import preprocess


@pytest.fixture
def preprocessed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Gives the sources that are preprocessed, as they are."""
    seen: list[str] = []
    real = preprocess.run

    def run(
        compiler: Sequence[str], defines: Sequence[str], skeletons: Path, sources: Sequence[str]
    ) -> str:
        seen.extend(s for s in sources if s.startswith("tensorflow/"))
        return real(compiler, defines, skeletons, sources)

    monkeypatch.setattr(preprocess, "run", run)
    return seen
