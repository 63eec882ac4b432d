"""Reading Bazel's execution log."""

from __future__ import annotations

import json
from typing import Any

from e2e.builds.execution_log import Spawn, compiles, spawns


def _entry(mnemonic: str, output: str, **more: Any) -> str:
    entry = {
        "mnemonic": mnemonic,
        "listedOutputs": [output],
        "cacheHit": False,
        "commandArgs": ["cc"],
    }
    return json.dumps(entry | {"targetLabel": "//:x"} | more, indent=2)


def test_no_entries() -> None:
    assert list(spawns("")) == []
    assert list(spawns("\n \n")) == []


def test_concatenated_entries() -> None:
    text = _entry("CppCompile", "a/b_op.pic.o") + "\n" + _entry("CppLink", "c", cacheHit=True)
    assert list(spawns(text)) == [
        Spawn("CppCompile", "//:x", ("a/b_op.pic.o",), False, ("cc",)),
        Spawn("CppLink", "//:x", ("c",), True, ("cc",)),
    ]


def test_compiles_include_cached_ones() -> None:
    cached = _entry("CppCompile", "d/e_op.o", cacheHit=True)
    text = "\n".join([_entry("CppCompile", "a/b_op.pic.o"), _entry("CppLink", "c"), cached])
    assert [spawn.source for spawn in compiles(spawns(text))] == ["b_op", "e_op"]
