"""Reading output groups from build events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tfcarve.app.build_events import outputs


def _set(key: str, files: list[str], inner: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "id": {"namedSet": {"id": key}},
        "namedSetOfFiles": {
            "files": [{"uri": f"file://{file}"} for file in files],
            "fileSets": [{"id": other} for other in inner],
        },
    }


def _completed(label: str, **groups: list[str]) -> dict[str, Any]:
    listed = [
        {"name": name, "fileSets": [{"id": key} for key in keys]} for name, keys in groups.items()
    ]
    return {"id": {"targetCompleted": {"label": label}}, "completed": {"outputGroup": listed}}


def _outputs(*events: dict[str, Any]) -> dict[tuple[str, str], tuple[Path, ...]]:
    return dict(outputs(json.dumps(event) for event in events))


def test_groups_of_targets() -> None:
    found = _outputs(
        _set("0", ["/a"]),
        _set("1", ["/b%20c"]),
        _completed("//:x", default=["0"], other=["1"]),
        _completed("//:y", default=["1"]),
    )
    assert found == {
        ("//:x", "default"): (Path("/a"),),
        ("//:x", "other"): (Path("/b c"),),
        ("//:y", "default"): (Path("/b c"),),
    }


def test_nested_sets_are_flattened_in_order() -> None:
    found = _outputs(
        _set("0", ["/a"]),
        _set("1", ["/b"], ("0",)),
        _set("2", ["/a", "/c"], ("1", "0")),
        _completed("//:x", default=["2"]),
    )
    assert found["//:x", "default"] == (Path("/a"), Path("/c"), Path("/b"))


def test_failed_targets_and_other_events_have_no_files() -> None:
    aborted = {"id": {"targetCompleted": {"label": "//:x"}}, "aborted": {}}
    assert _outputs({"id": {"progress": {}}}, aborted, _completed("//:y")) == {}
