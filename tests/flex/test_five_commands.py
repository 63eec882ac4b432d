"""Runs the five commands of docs/flex.md, from a converted model to an app with a carved delegate."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from e2e.builds import app_workspace, page_commands
from tfcarve.app.workspace import Workspace

_FOLDER = "pitch"


@pytest.fixture(name="app", scope="module")
def _app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def test_five_commands(
    app: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_commands.page("flex.md")
    assert page_commands.run(page, app, app.folder / _FOLDER, monkeypatch, capsys) == 5


def test_code_of_the_docs_is_the_apps(app: Workspace) -> None:
    page = page_commands.page("flex.md")
    page_commands.require_starlark(page, app.folder / _FOLDER / "BUILD")
    (use,) = (block.text for block in page if block.kind == "python")
    assert use in (app.folder / _FOLDER / "run.py").read_text(encoding="utf-8")
