"""Tables of sizes."""

from __future__ import annotations

import pytest

from benchmarks.size import size_table
from benchmarks.size.size_table import Measured, Variant

_CARVED = Measured("lstm", "linux_arm64", Variant.CARVED, 27, 34, 858, 2_000_000, 1_000_000)
_WHOLE = Measured("lstm", "linux_arm64", Variant.WHOLE, 27, 690, 12, 5_000_000, 1_500_000)
_STOCK = Measured("", "linux_arm64", Variant.STOCK, 420, 7_000, 99, 40_000_000, 9_990_000)


@pytest.mark.parametrize(
    ("ours", "theirs", "text"), [(2, 5, "2.5x"), (3, 3, "1.0x"), (4, 3, "0.8x")]
)
def test_ratio(ours: int, theirs: int, text: str) -> None:
    assert size_table.ratio(ours, theirs) == text


def test_sizes() -> None:
    assert size_table.sizes([_CARVED, _WHOLE, _STOCK]).splitlines() == [
        "| Model | Platform | carved | gzip | all of the same sources | gzip | all portable kernels | gzip |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| lstm | linux_arm64 | 2,000,000 | 1,000,000 | 5,000,000 (2.5x) | 1,500,000 (1.5x) "
        "| 40,000,000 (20.0x) | 9,990,000 (10.0x) |",
    ]


def test_what_was_not_measured_is_not_guessed() -> None:
    other = Measured("lstm", "linux_x86_64", Variant.CARVED, 27, 34, 858, 2_100_000, 1_100_000)
    *_, line = size_table.sizes([_CARVED, _WHOLE, _STOCK, other]).splitlines()
    assert line == "| lstm | linux_x86_64 | 2,100,000 | 1,100,000 | - | - | - | - |"


def test_variants_that_were_not_measured_have_no_column() -> None:
    assert size_table.sizes([_CARVED, _WHOLE]).splitlines()[::2] == [
        "| Model | Platform | carved | gzip | all of the same sources | gzip |",
        "| lstm | linux_arm64 | 2,000,000 | 1,000,000 | 5,000,000 (2.5x) | 1,500,000 (1.5x) |",
    ]


def test_contents() -> None:
    again = Measured("lstm", "linux_x86_64", Variant.CARVED, 27, 34, 858, 2_100_000, 1_100_000)
    assert size_table.contents([_CARVED, again, _WHOLE, _STOCK]).splitlines()[2:] == [
        "| lstm | what the model needs | 27 | 34 | 858 |",
        "| lstm | all of the same sources | 27 | 690 | 12 |",
        "| - | all portable kernels | 420 | 7,000 | 99 |",
    ]


def test_published_figures_say_whose_they_are_and_where() -> None:
    lines = size_table.published().splitlines()[2:]
    assert len(lines) == len(size_table.PUBLISHED)
    assert all(figure.who and figure.where for figure in size_table.PUBLISHED)
