"""README, CONTRIBUTING, CHANGELOG and the templates of the Bazel Central Registry agree with the tree."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from docs.tree import ROOT, tracked
from tfcarve import __version__

_PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md")


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", _PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", _text(page)):
        assert (ROOT / link).exists(), link


def _released() -> list[str]:
    return re.findall(r"^## \[(\d[^\]]*)\]", _text("CHANGELOG.md"), re.MULTILINE)


def test_version_is_the_same_everywhere() -> None:
    assert f'version = "{__version__}"' in _text("MODULE.bazel")
    released = _released()
    assert not released or released[0] == __version__


def _unfilled(metadata: Mapping[str, Any]) -> list[str]:
    """Returns the fields of .bcr/metadata.template.json that a release requires and that have no value yet."""
    addresses = [name for name in ("homepage", "repository") if "OWNER" in str(metadata[name])]
    return addresses + ([] if metadata["maintainers"] else ["maintainers"])


def test_a_release_has_an_owner() -> None:
    unfilled = _unfilled(json.loads(_text(".bcr/metadata.template.json")))
    assert not (_released() and unfilled), f"fill in {unfilled} in .bcr/metadata.template.json"


def test_placeholders_are_found() -> None:
    filled = {
        "homepage": "https://a.b/c",
        "maintainers": [{"name": "d"}],
        "repository": ["github:e/f"],
    }
    assert not _unfilled(filled)
    assert _unfilled({**filled, "homepage": "https://a.b/OWNER/c"}) == ["homepage"]
    assert _unfilled({**filled, "repository": ["github:OWNER/f"]}) == ["repository"]
    assert _unfilled({**filled, "maintainers": []}) == ["maintainers"]


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
