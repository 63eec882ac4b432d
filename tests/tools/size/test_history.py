"""Tests of the size history and of predictions."""

from pathlib import Path

import mini_library
import pytest
from mini_library import RELU, TABLE, Built
from msgspec.structs import replace

from tfcarve import json_codec
from tfcarve.errors import InvalidInput
from tfcarve.size import history
from tfcarve.size.history import EMPTY


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return mini_library.build(tmp_path_factory.mktemp("w") / "x", mini_library.selection())


def test_units_seen_before_are_predicted_to_the_byte(whole: Built) -> None:
    known = history.add(EMPTY, whole.selection, whole.report())
    prediction = history.predict(known, whole.selection)
    assert prediction.stripped == whole.report().sizes["stripped"]
    assert prediction.guessed == ()


def test_library_of_fewer_units_is_predicted_before_it_is_built(
    whole: Built, tmp_path: Path
) -> None:
    """The unit of the OpDefs loses one, so its text is new and its size a guess; the other units are known."""
    known = history.add(EMPTY, whole.selection, whole.report())
    smaller = mini_library.selection(table=False)
    prediction = history.predict(known, smaller)
    assert prediction.guessed == ("ops/mini_ops.cc",)
    actual = mini_library.build(tmp_path / "x", smaller).report()
    assert abs(prediction.stripped - actual.sizes["stripped"]) < 200
    known = history.add(history.remember(known, smaller, prediction), smaller, actual)
    (past,) = known.past
    assert past.actual == actual.sizes["stripped"]
    (error,) = history.predict(known, smaller).errors
    assert error == (prediction.stripped - past.actual) / past.actual
    assert history.predict(known, smaller).guessed == ()


def test_unit_of_another_text_is_guessed_from_its_source(whole: Built) -> None:
    known = history.add(EMPTY, whole.selection, whole.report())
    prediction = history.predict(known, mini_library.selection(double=True))
    assert prediction.guessed == (RELU,)
    assert prediction.files[RELU] == whole.report().by(lambda e: e.file)[RELU]
    assert prediction.to_compile == 1


def test_unit_of_an_unknown_source_is_guessed_from_all(whole: Built) -> None:
    smaller = mini_library.selection(table=False)
    known = history.add(EMPTY, smaller, replace(whole.report(), entries=(), attributed=0))
    assert TABLE in history.predict(known, whole.selection).guessed


def test_empty_history() -> None:
    with pytest.raises(InvalidInput, match="measure a library of this platform first"):
        history.predict(EMPTY, mini_library.selection())


def test_json_form(whole: Built, tmp_path: Path) -> None:
    known = history.add(EMPTY, whole.selection, whole.report())
    known = history.remember(known, whole.selection, history.predict(known, whole.selection))
    file = tmp_path / "k.json"
    file.write_bytes(json_codec.encode(known))
    assert history.load(file) == known


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"version": 9, "units": {}, "base": 0, "past": []}']
)
def test_unreadable_history_is_empty(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "k.json"
    assert history.load(file) == EMPTY
    file.write_bytes(data)
    assert history.load(file) == EMPTY


def test_platform_name_is_no_path() -> None:
    with pytest.raises(InvalidInput, match="is not a platform name"):
        history.path("../x", "y")
