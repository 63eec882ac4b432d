"""The carved Flex delegate for linux_armv7: see emulated_app. ai-edge-litert has no wheel for this platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from flex import emulated_app, flex_models
from flex.emulated_app import App
from flex.flex_app import DELEGATE_RELEASE_ARMV7

_PACKAGE = "tflite_runtime"
# Its own tanh and sigmoid for armv7 differ from those for x86-64 by up to 6e-6, without a delegate too. The LSTM's TensorFlow
# ops only move numbers.
_TOLERANCES = {"lstm": 1e-5}


@pytest.fixture(scope="module", name="app")
def _app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return emulated_app.opened(
        "linux_armv7",
        "armv7",
        "flex_armv7",
        DELEGATE_RELEASE_ARMV7,
        tuple(flex_models.MAKERS),
        tmp_path_factory.mktemp("full"),
    )


def test_outputs_are_those_of_full_tensorflow_lite(app: App, tmp_path: Path) -> None:
    app.require_equal_outputs(_PACKAGE, tmp_path, _TOLERANCES)


def test_a_model_needs_the_delegate(app: App, tmp_path: Path) -> None:
    app.require_delegate_is_needed(_PACKAGE, tmp_path)
