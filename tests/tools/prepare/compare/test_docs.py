"""docs/prepare.md: the commands of Compare and Diff print the output shown, and the BUILD file is that of the app."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import examples

pytestmark = pytest.mark.usefixtures("reused")

_APP = "tests/e2e/bzlmod/prepared"
_NUMBER = re.compile(r"\d[\d.,]*(?:e-\d+)?")


def _section(title: str) -> str:
    page = examples.runfile("PREPARE_MD", "docs/prepare.md")
    return examples.section(page.read_text(encoding="utf-8"), title)


def _normalized(text: str) -> list[str]:
    """The lines without whitespace and digits, which depend on the processor."""
    return [" ".join(_NUMBER.sub("#", line).split()) for line in text.splitlines()]


@pytest.mark.parametrize(("title", "count"), [("Compare", 2), ("Diff", 1)])
def test_output_of_commands(
    title: str,
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, key in (("source.pbtxt", "SOURCE"), ("samples.npz", "SAMPLES")):
        Path(name).write_bytes(examples.runfile(key, f"{_APP}/{name}").read_bytes())
    assert examples.run("tfcarve transform source.pbtxt -o model.pb --preset mobile") == 0
    found = list(examples.paired(examples.blocks(_section(title))))
    assert len(found) == count
    for commands, shown in found:
        for command in commands:
            capsys.readouterr()
            status = examples.run(command)
        printed = capsys.readouterr()
        assert _normalized(shown) == _normalized(printed.err if status else printed.out)


def test_build_file_is_that_of_the_app() -> None:
    ((kind, text),) = examples.blocks(_section("tf_prepared_model"))
    assert kind == "starlark"
    app = examples.runfile("APP_BUILD", f"{_APP}/BUILD")
    assert text in app.read_text(encoding="utf-8")
