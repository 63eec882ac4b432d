"""Runs every command of docs/size.md on a library that the test builds."""

import json
import re
import shlex
from pathlib import Path

import mini_library
import pytest
import yaml

from tfcarve import cli
from tfcarve.size import committed

_PAGE = (Path(__file__).parents[3] / "docs" / "size.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", _PAGE, re.MULTILINE | re.DOTALL)


def test_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in the page's order, since some read what earlier ones write."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    built = mini_library.build(tmp_path / "built", mini_library.selection(double=True))
    for name in ("tensorflow", "tensorflow_selection"):
        (tmp_path / "bazel-bin" / name).mkdir(parents=True)
    outputs = tmp_path / "bazel-bin" / "tensorflow"
    report = built.report()
    (outputs / "sizes.json").write_bytes(report.to_json())
    (outputs / "libtensorflow-core.so").symlink_to(built.library)
    (outputs / "tensorflow-core.map").symlink_to(built.map)
    # Paths in link.json start from the folder that holds bazel-out.
    (built.folder / "bazel-out").mkdir()
    link = built.link.rename(built.folder / "bazel-out" / "link.json")
    (outputs / "link.json").symlink_to(link)
    selection = tmp_path / "bazel-bin" / "tensorflow_selection" / "selection.json"
    selection.write_bytes(built.selection.to_json())
    old = mini_library.build(tmp_path / "old", mini_library.selection())
    (tmp_path / "old.json").write_bytes(old.report().to_json())
    commands = [line for block in _blocks("sh") for line in block.splitlines()]
    assert len(commands) >= 9
    for line in commands:
        program, *arguments = shlex.split(line)
        assert program == "tfcarve"
        assert cli.main(arguments) == 0, line
    assert "class added" in (tmp_path / "comment.md").read_text()
    assert "class added" in (tmp_path / "sizes.html").read_text()


def test_waiver_is_one() -> None:
    (waiver,) = map(json.loads, _blocks("json"))
    document = {"version": 1, "platforms": {}, "waivers": [waiver]}
    (parsed,) = committed.parse(json.dumps(document).encode(), "sizes.json").waivers
    assert parsed.reason == waiver["reason"]


def test_ci_snippets_are_yaml_that_runs_the_comment() -> None:
    """They run a target of tf_size_test, which tests/size runs with Bazel."""
    steps = []
    for block in _blocks("yaml"):
        read = yaml.safe_load(block)
        steps.append([s["run"] for s in read] if isinstance(read, list) else read["size"]["script"])
    assert len(steps) == 2
    for create, posted in steps:
        assert create == 'bazel run //:size.comment -- -o "$PWD/comment.md"'
        assert "comment.md" in posted
