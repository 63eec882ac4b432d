"""Tests of the tables of the speed benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.inference import alternating_runs, speed_table, speed_text
from benchmarks.inference.speed_table import Instructions, Library, Memory, Speed
from tfcarve.benchmark.measurement import Measurement, Statistics

# CPU milliseconds on one thread and on two, wall milliseconds on one thread and on two.
_TIMES = {
    Library.PREPARED: ((150.0, 148.0, 160.0), (160.0, 170.0, 155.0), 151.0, 80.0),
    Library.FROZEN: ((160.0, 161.0, 162.0), (170.0, 171.0, 172.0), 160.0, 100.0),
    Library.ONEDNN: ((111.0, 116.0, 113.0), (121.0, 122.0, 123.0), 112.0, 62.25),
    Library.TENSORFLOW: ((119.0, 119.5, 118.4), (129.0, 129.0, 129.0), 119.0, 66.0),
    Library.LITE: ((119.9, 121.0, 120.0), (120.0, 140.0, 122.0), 120.0, 60.0),
}
# Milliseconds of loading and of the first run.
_STARTS = {
    Library.PREPARED: [(90.0, 210.0)],
    Library.FROZEN: [(110.0, 250.0)],
    Library.ONEDNN: [(3000.0, 9000.0)],
    Library.TENSORFLOW: [(2500.0, 8000.0)],
    Library.LITE: [(700.0, 800.0), (150.0, 250.0)],
}
_MEMORY = {
    Library.PREPARED: Memory(20_000_000, 45_000_000),
    Library.FROZEN: Memory(30_000_000, 50_000_000),
    Library.ONEDNN: Memory(500_000_000, 1_265_400_000),
    Library.TENSORFLOW: Memory(400_000_000, 1_178_000_000),
    Library.LITE: Memory(110_000_000, 112_800_000),
}
_DIFFERENCES = dict(zip(Library, (4e-7, 5e-7, 8e-7, 1e-7, 3.5e-7), strict=True))


def _measurement(
    cpu: float = 1.0, wall: float = 1.0, load: float = 1.0, first: float = 1.0, loaded: int = 0
) -> Measurement:
    """A round with different minimum, median and mean."""
    return Measurement(
        version=1,
        model="m.pb",
        threads=1,
        warmup=1,
        runs=3,
        traced_runs=0,
        load_ms=load,
        first_ms=first,
        wall_ms=Statistics(min=wall, median=wall + 1, p95=wall + 2, mean=wall + 1, stddev=1),
        cpu_ms=Statistics(min=cpu / 2, median=cpu, p95=cpu + 1, mean=cpu, stddev=1),
        peak_bytes=None,
        anonymous_bytes_loaded=loaded,
        anonymous_bytes=loaded + 10,
        nodes=(),
        ops=(),
    )


def _speed(library: Library, threads: int, cpus: Sequence[float], wall: float) -> Speed:
    return Speed(
        "inception_v3",
        library,
        threads,
        [_measurement(cpu, wall + more) for more, cpu in enumerate(cpus)],
        [_measurement(load=load, first=first) for load, first in _STARTS[library]],
        _MEMORY[library],
        _DIFFERENCES[library],
    )


def _speeds() -> list[Speed]:
    return [
        speed
        for library, (one, two, wall_of_one, wall_of_two) in _TIMES.items()
        for speed in (_speed(library, 1, one, wall_of_one), _speed(library, 2, two, wall_of_two))
    ]


_COUNT = Instructions("linux_arm64", "inception_v3", 1_430e6, 1_859_000_000, 2_145_000_000)


def _lines(table: str) -> list[str]:
    return table.splitlines()[2:]


def test_cpu_time() -> None:
    assert _lines(speed_table.cpu(_speeds(), 1)) == [
        "| inception_v3 | 148 (150) | 160 (161) | 111 (113) | 118 (119) | 120 (120) | 1.33 |"
    ]
    assert _lines(speed_table.cpu(_speeds(), 2)) == [
        "| inception_v3 | 155 (160) | 170 (171) | 121 (122) | 129 (129) | 120 (122) | 1.29 |"
    ]


def test_speedup_of_two_threads() -> None:
    assert _lines(speed_table.wall(_speeds())) == [
        "| inception_v3 | 80.0 (1.89) | 100 (1.60) | 62.2 (1.80) | 66.0 (1.80) | 60.0 (2.00) | 1.33 |"
    ]


def test_first_result_of_the_fastest_start() -> None:
    assert _lines(speed_table.first_results(_speeds())) == [
        "| inception_v3 | 300 | 360 | 12,000 | 10,500 | 400 | 0.75 |"
    ]


def test_memory_after_runs_and_after_loading() -> None:
    assert _lines(speed_table.memory(_speeds())) == [
        "| inception_v3 | 45.0 MB (20.0 MB) | 50.0 MB (30.0 MB) | 1,265.4 MB (500.0 MB) | 1,178.0 MB (400.0 MB)"
        " | 112.8 MB (110.0 MB) |"
    ]


def test_differences() -> None:
    assert _lines(speed_table.differences(_speeds())) == [
        "| inception_v3 | 4.0e-07 | 5.0e-07 | 8.0e-07 | 1.0e-07 | 3.5e-07 |"
    ]


def test_models_keep_their_order() -> None:
    second = [replace(one, model="audio_cnn") for one in _speeds()]
    rows = _lines(speed_table.cpu([*_speeds(), *second], 1))
    assert [row.split()[1] for row in rows] == ["inception_v3", "audio_cnn"]


def test_instructions_per_multiply_add() -> None:
    assert _lines(speed_table.instructions([_COUNT])) == [
        "| linux_arm64 | inception_v3 | 1,430 M | 1,859 M (1.30) | 2,145 M (1.50) |"
    ]


def test_memory_is_the_smallest_increase() -> None:
    starts = [_measurement(loaded=loaded) for loaded in (700, 500, 600)]
    assert alternating_runs.memory(starts, 100) == Memory(400, 410)


@pytest.mark.parametrize(
    ("speeds", "rows", "present", "absent"),
    [
        (_speeds(), [_COUNT], ["## x86-64", "## ARM"], []),
        (_speeds(), [], ["| inception_v3 | 148 (150) |", "(1.89)", "4.0e-07"], ["## ARM"]),
        ([], [_COUNT], ["| linux_arm64 | inception_v3 |"], ["## x86-64"]),
    ],
)
def test_text_has_what_was_measured(
    speeds: Sequence[Speed], rows: Sequence[Instructions], present: list[str], absent: list[str]
) -> None:
    text = speed_text.text(speeds, rows)
    assert text.startswith("# Speed of carved libraries\n\nMeasured on ")
    assert all(part in text for part in present)
    assert not any(part in text for part in absent)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0424, "0.04"), (1.246, "1.25"), (11.25, "11.2"), (110.51, "111"), (10351.0, "10,351")],
)
def test_milliseconds_have_three_digits(value: float, expected: str) -> None:
    assert speed_table.milliseconds(value) == expected
