"""The carved Flex delegate for linux_arm64: see emulated_app."""

from __future__ import annotations

from pathlib import Path

import pytest

import extent
from flex import emulated_app, flex_models
from flex.emulated_app import App
from flex.flex_app import DELEGATE_RELEASE, ONE_OP_RELEASE
from flex.interpreters import PLAIN


@pytest.fixture(scope="module", name="app")
def _app(tmp_path_factory: pytest.TempPathFactory) -> App:
    return emulated_app.opened(
        "linux_arm64",
        "aarch64",
        extent.of("flex", "flex_full"),
        extent.of(ONE_OP_RELEASE, DELEGATE_RELEASE),
        extent.some(tuple(flex_models.MAKERS), "one_op"),
        tmp_path_factory.mktemp("full"),
    )


@pytest.mark.parametrize("package", PLAIN)
def test_outputs_are_those_of_full_tensorflow_lite(package: str, app: App, tmp_path: Path) -> None:
    app.require_equal_outputs(package, tmp_path)


@pytest.mark.parametrize("package", PLAIN)
def test_a_model_needs_the_delegate(package: str, app: App, tmp_path: Path) -> None:
    app.require_delegate_is_needed(package, tmp_path)
