"""One library for three models, on each Linux platform: its outputs are full TensorFlow's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from demo import library
from demo.cached_models import CachedModel
from demo.facts import TOLERANCE
from demo.nested import Workspace
from e2e import app_workspace, built_libraries

_MODELS = ("inception_v3", "lstm", "mobilenet_v2")


@pytest.fixture(scope="module")
def models() -> dict[str, CachedModel]:
    return {name: app_workspace.model(name) for name in _MODELS}


@pytest.fixture(scope="module")
def app(models: dict[str, CachedModel]) -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        app_workspace.use_models(workspace, list(models.values()))
        yield workspace
        app_workspace.use_models(workspace, [models["inception_v3"]])


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.parametrize("platform", built_libraries.PLATFORMS)
def test_output_is_full_tensorflows(
    app: Workspace, models: dict[str, CachedModel], platform: str, name: str
) -> None:
    model = models[name]
    answer, _ = library.run_once(app_workspace.build_library(app, platform), model)
    assert answer.status == 0, answer.message
    assert answer.output is not None
    expected = np.load(model.output)
    assert expected.max() > 0.1, "the classes do not differ"
    assert library.largest_difference(answer.output, expected) <= TOLERANCE
    # The control: another order of classes exceeds the tolerance.
    assert library.largest_difference(np.roll(answer.output, 1), expected) > TOLERANCE
