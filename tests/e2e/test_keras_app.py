"""Runs the ten commands of docs/keras.md, from a Keras model to an app, with Keras 3."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from e2e.builds import app_workspace, page_commands
from tfcarve.app.workspace import Workspace


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def _program(variable: str) -> page_commands.Program:
    return page_commands.program(os.path.join(os.environ["RUNFILES_DIR"], os.environ[variable]))


def test_ten_commands(
    app: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_commands.page("keras.md")
    keras = {"python": _program("PYTHON"), "tfcarve": _program("TFCARVE")}
    assert page_commands.run(page, app, app.folder / "digits", monkeypatch, capsys, keras) == 10


def test_code_of_the_docs_is_the_apps(app: Workspace) -> None:
    page_commands.require_starlark(page_commands.page("keras.md"), app.folder / "digits/BUILD")
