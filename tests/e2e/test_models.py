"""One library for three models has full TensorFlow's outputs on each Linux platform and with each instruction set."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from demo import library
from demo.cached_models import CachedModel
from demo.facts import TOLERANCE
from demo.library import Library
from demo.nested import Workspace
from e2e import app_workspace, built_libraries, cpu_features

_HOST = "linux_x86_64"
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
    _require(app_workspace.build_library(app, platform), models[name])


def _require(built: Library, model: CachedModel, cpu: str = "") -> None:
    """Checks the output of a model with an instruction set against full TensorFlow's."""
    answer, _ = library.run_once(built, model, cpu)
    assert answer.status == 0, answer.message
    assert answer.output is not None
    expected = np.load(model.output)
    assert expected.max() > 0.1, "the classes do not differ"
    assert library.largest_difference(answer.output, expected) <= TOLERANCE
    # The control: another order of classes exceeds the tolerance.
    assert library.largest_difference(np.roll(answer.output, 1), expected) > TOLERANCE


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.parametrize("cpu", cpu_features.REQUIRED)
def test_output_of_each_instruction_set(
    app: Workspace, models: dict[str, CachedModel], cpu: str, name: str
) -> None:
    if cpu not in cpu_features.supported():
        pytest.skip(f"according to /proc/cpuinfo, this CPU does not support {cpu}")
    _require(app_workspace.build_library(app, _HOST), models[name], cpu)


# The sums of the LSTM are equal with AVX2 and AVX-512.
@pytest.mark.parametrize("name", ["inception_v3", "mobilenet_v2"])
def test_each_instruction_set_rounds_differently(
    app: Workspace, models: dict[str, CachedModel], name: str
) -> None:
    """The control of the previous test: it does not run the same loops again."""
    built = app_workspace.build_library(app, _HOST)
    outputs = [
        library.run_once(built, models[name], cpu)[0].output for cpu in cpu_features.supported()
    ]
    assert not any(np.array_equal(one, other) for one, other in combinations(outputs, 2))


def test_unknown_instruction_set(app: Workspace, models: dict[str, CachedModel]) -> None:
    answer = library.run(app_workspace.build_library(app, _HOST), models["lstm"], "sse9")
    assert answer.status == 2
    assert "TFCARVE_CPU is 'sse9'" in answer.message
