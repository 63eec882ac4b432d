"""One library for three models has full TensorFlow's outputs on each Linux platform and with each instruction set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import extent
from built import published
from demo import library
from demo.cached_models import CachedModel
from demo.facts import TOLERANCE
from demo.library import Library
from e2e.builds import built_libraries
from e2e.sessions import cpu_features

_HOST = "linux_x86_64"
_MODELS = ("inception_v3", "lstm", "mobilenet_v2")
_RELEASE = "//inception:release"
# The demo, which test_demo.py runs, compares a model on the emulated platform of a quick run.
_PLATFORMS = [name for name in built_libraries.PLATFORMS if extent.IS_FULL or name == _HOST]


def _library(platform: str) -> Library:
    if platform == _HOST:
        files = published.of("shared").named("//shared:library", "default", "programs")
    else:
        groups = (platform, f"{platform}_programs")
        target = f"{_RELEASE}_armv7" if platform == "linux_armv7" else _RELEASE
        group = "models_armv7" if platform == "linux_armv7" else "models"
        files = published.of(group).named(target, *groups)
    return Library.among(platform, files.values())


@pytest.fixture(scope="module")
def models() -> dict[str, CachedModel]:
    return {name: _model(name) for name in _MODELS}


def _model(name: str) -> CachedModel:
    if _HOST in built_libraries.PLATFORMS:
        folder = published.of("shared").models / "zoo"
    else:
        folder = published.of("models_armv7").models
    files = (folder / f"{name}{end}" for end in (".pb", ".input.npy", ".output.npy"))
    return CachedModel(*files)


@pytest.mark.parametrize("name", _MODELS)
@pytest.mark.parametrize("platform", _PLATFORMS)
def test_output_is_full_tensorflows(
    models: dict[str, CachedModel], platform: str, name: str
) -> None:
    _require(_library(platform), models[name])


def _require(built: Library, model: CachedModel, cpu: str = "") -> None:
    """Checks the output of a model with an instruction set against full TensorFlow's."""
    answer = library.run(built, model, cpu)
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
    models: dict[str, CachedModel], cpu: str, name: str
) -> None:
    if cpu not in cpu_features.supported():
        pytest.skip(f"according to /proc/cpuinfo, this CPU does not support {cpu}")
    _require(_library(_HOST), models[name], cpu)


# The sums of the LSTM are equal with AVX2 and AVX-512.
@pytest.mark.parametrize("name", ["inception_v3", "mobilenet_v2"])
def test_each_instruction_set_rounds_differently(models: dict[str, CachedModel], name: str) -> None:
    """The control of the previous test: it does not run the same loops again."""
    built = _library(_HOST)
    outputs = [library.run(built, models[name], cpu).output for cpu in cpu_features.supported()]
    assert not any(np.array_equal(one, other) for one, other in combinations(outputs, 2))


def test_model_of_another_library_is_refused(models: dict[str, CachedModel]) -> None:
    files = published.of("app").named("//:tensorflow", "default", "programs")
    answer = library.run(Library.among(_HOST, files.values()), models["mobilenet_v2"])
    assert answer.status == 1
    assert "\n  op Relu6, for node " in answer.message
    assert answer.output is None


def test_unknown_instruction_set(models: dict[str, CachedModel]) -> None:
    answer = library.run(_library(_HOST), models["lstm"], "sse9")
    assert answer.status == 2
    assert "TFCARVE_CPU is 'sse9'" in answer.message
