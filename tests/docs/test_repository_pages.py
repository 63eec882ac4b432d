"""README, CONTRIBUTING, CHANGELOG and the templates of the Bazel Central Registry agree with the tree."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from docs.tree import ROOT, tracked
from tfcarve import __version__

_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md")
# Folders whose subfolders are listed too.
_SPLIT = ("rules", "rules/private", "templates", "tests", "tools", "tools/tfcarve")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _folders() -> set[str]:
    """Every folder that needs a sentence."""
    folders = set()
    for name in tracked():
        folder, *rest = name.split("/")
        while len(rest) > 1 and folder in _SPLIT:
            folder = f"{folder}/{rest.pop(0)}"
        if rest:
            folders.add(folder)
    return folders - {"rules/private", "tests", "tools"}


def test_every_folder_has_a_sentence() -> None:
    rows = re.findall(r"^\| `([^`]+)/` \| [^|]+ \|", _text("CONTRIBUTING.md"), re.MULTILINE)
    assert sorted(rows) == sorted(_folders())


@pytest.mark.parametrize("page", _PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", _text(page)):
        assert (ROOT / link).exists(), link


def test_version_is_the_same_everywhere() -> None:
    assert f'version = "{__version__}"' in _text("MODULE.bazel")
    released = re.findall(r"^## \[(\d[^\]]*)\]", _text("CHANGELOG.md"), re.MULTILINE)
    assert not released or released[0] == __version__


def test_registry_templates() -> None:
    metadata = json.loads(_text(".bcr/metadata.template.json"))
    source = json.loads(_text(".bcr/source.template.json"))
    assert metadata.keys() >= {"homepage", "maintainers", "repository", "versions"}
    assert source.keys() == {"integrity", "strip_prefix", "url"}
    module = yaml.safe_load(_text(".bcr/presubmit.yml"))["bcr_test_module"]
    assert f"{module['module_path']}/MODULE.bazel" in tracked()
    bazel = _text(".bazelversion").partition(".")[0]
    assert module["matrix"]["bazel"] == [f"{bazel}.x"]
    (task,) = module["tasks"].values()
    (target,) = task["build_targets"]
    name = target.removeprefix("//:").removesuffix("_selection")
    assert f'name = "{name}"' in _text(f"{module['module_path']}/BUILD")
