"""One library runs all models that Keras 3 saved, with Keras' outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from demo import nested
from demo.inception import APP
from demo.library import Library
from keras3 import in_library
from keras3.names import NAMES
from keras3.samples import Programs, Sample, samples
from keras3.tolerances import tolerance
from tfcarve.app.workspace import Workspace


@pytest.fixture(name="models", scope="module")
def _models(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Sample]:
    return list(samples(Programs.of_test(), tmp_path_factory.mktemp("models"), NAMES))


@pytest.fixture(name="workspace", scope="module")
def _workspace() -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / APP, "public") as workspace:
        yield workspace


@pytest.fixture(name="built", scope="module")
def _built(workspace: Workspace, models: Sequence[Sample]) -> Library:
    return in_library.build(workspace, models)


def test_outputs_are_those_of_keras(built: Library, models: Sequence[Sample]) -> None:
    found = {one.name: in_library.largest(in_library.run(built, one), one) for one in models}
    assert {name: each for name, each in found.items() if each > tolerance(name)} == {}


def test_other_outputs_are_found(built: Library, models: Sequence[Sample]) -> None:
    """The control: the elements of an output in another order."""
    one = next(one for one in models if one.name == "lstm")
    rolled = {name: np.roll(array, 1) for name, array in one.expected.items()}
    assert in_library.largest(in_library.run(built, one), replace(one, expected=rolled)) > 1e-3
