"""Readers, with inputs that are good, damaged, found by fuzzing, or made to cost much."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz import corpus
from fuzz.readers import READERS, read

_NAMES = sorted(READERS)
# A machine may be busy: what takes too long, the fuzzer tells.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# What any reader may take besides: the interpreter's own caches, compiled patterns.
_SPARE = 1_000_000
_TIMES = 10


@pytest.mark.parametrize("name", _NAMES)
def test_seeds_are_good(name: str) -> None:
    assert all(read(name, seed) for seed in READERS[name].seeds)


@pytest.mark.parametrize("name", _NAMES)
def test_what_fuzzing_found(name: str) -> None:
    for data in corpus.load(name):
        read(name, data)


@st.composite
def _damaged(draw: st.DrawFn, name: str) -> bytes:
    data = draw(st.sampled_from(READERS[name].seeds))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 20)))
        data = data[:start] + draw(st.binary(max_size=12)) + data[end:]
    return data


@pytest.mark.parametrize("name", _NAMES)
@given(st.data())
def test_damaged(name: str, data: st.DataObject) -> None:
    read(name, data.draw(_damaged(name)))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def _with_another_value(document: Any, draw: st.DrawFn) -> Any:
    """The document with one value in it, at any depth, replaced."""
    places = list(document) if isinstance(document, dict) else list(range(len(document)))
    if not places:
        return draw(_JSON)
    place = draw(st.sampled_from(places))
    inner = document[place]
    deeper = isinstance(inner, dict | list) and draw(st.booleans())
    changed = dict(document) if isinstance(document, dict) else list(document)
    changed[place] = _with_another_value(inner, draw) if deeper else draw(_JSON)
    return changed


@st.composite
def _changed_json(draw: st.DrawFn, name: str) -> bytes:
    document = json.loads(READERS[name].seeds[0])
    return json.dumps(_with_another_value(document, draw)).encode()


@pytest.mark.parametrize("name", ["index", "ops_json", "selection"])
@settings(max_examples=200)
@given(st.data())
def test_json_of_another_form(name: str, data: st.DataObject) -> None:
    read(name, data.draw(_changed_json(name)))


def _peak(name: str, data: bytes) -> int:
    read(name, data)  # what is made once is made
    tracemalloc.start()
    try:
        read(name, data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", _NAMES)
def test_memory(name: str) -> None:
    for data in (*READERS[name].seeds, *corpus.load(name)):
        assert _peak(name, data) <= _TIMES * len(data) + _SPARE
