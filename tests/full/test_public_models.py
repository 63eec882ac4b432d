"""Public models in carved libraries, compared with full TensorFlow. Prints the table of docs/public-models.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from demo import nested
from demo.inception import APP
from public import results
from public.models import MODELS
from public.results import Result, Sample
from tfcarve.app.workspace import Workspace


@pytest.fixture(name="workspace", scope="module")
def _workspace() -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / APP, "public") as workspace:
        yield workspace


@pytest.fixture(name="samples", scope="module")
def _samples(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Sample]:
    folder = tmp_path_factory.mktemp("public")
    return [results.sample(name, folder) for name in MODELS]


def test_outputs_are_those_of_full_tensorflow(
    workspace: Workspace, samples: Sequence[Sample]
) -> None:
    found: dict[tuple[str, str], Result] = {}
    for platform in results.PLATFORMS:
        built = results.build(workspace, platform, samples)
        found |= {(one.name, platform): results.run(built, one) for one in samples}
    print(results.table(samples, found))
    assert {key: result.problem for key, result in found.items() if result.problem} == {}


def test_other_outputs_are_found(workspace: Workspace, samples: Sequence[Sample]) -> None:
    """The control: the elements of an output in another order."""
    built = results.build(workspace, "linux_x86_64", samples)
    for one in samples:
        rolled = {name: np.roll(array, 1) for name, array in one.expected.items()}
        assert results.run(built, replace(one, expected=rolled)).problem, one.name
