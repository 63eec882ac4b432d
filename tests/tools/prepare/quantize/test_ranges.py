"""Tests of ranges.json."""

import json
from pathlib import Path
from typing import Any

import pytest

from tfcarve.errors import InvalidInput
from tfcarve.prepare.quantize import ranges
from tfcarve.prepare.quantize.ranges import ChannelMeans, Ranges, TensorRange

_RANGES = Ranges(
    version=1,
    model_sha256="0" * 64,
    method="percentile",
    percentile=99.9,
    samples=3,
    ranges=(TensorRange("conv", -1.5, 2.0), TensorRange("x:1", 0.0, 1.0)),
    means=(ChannelMeans("conv", (0.5, -1.0)),),
)


def _changed(**fields: Any) -> bytes:
    return json.dumps({**json.loads(_RANGES.to_json()), **fields}).encode()


def test_round_trip() -> None:
    data = _RANGES.to_json()
    assert ranges.parse(data, "r.json") == _RANGES
    assert data.splitlines()[7] == b' {"tensor":"conv","low":-1.5,"high":2.0},'
    assert data.splitlines()[11] == b' {"node":"conv","means":[0.5,-1.0]}'
    assert list(_RANGES.by_tensor()) == ["conv", "x:1"]
    without = json.dumps({k: v for k, v in json.loads(data).items() if k != "means"}).encode()
    assert ranges.parse(without, "r.json").means == ()


def _row(low: object, high: object, tensor: object = "conv") -> list[dict[str, object]]:
    return [{"tensor": tensor, "low": low, "high": high}]


_MEANS = {"node": "conv", "means": [1, 2]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"version": 2}, "version 2 is not supported: .* create it with `tfcarve calibrate`"),
        ({"more": 1}, "unknown field `more`"),
        ({"model_sha256": "ab"}, "model_sha256"),
        ({"method": "mean"}, "method"),
        ({"percentile": 49}, "percentile"),
        ({"samples": 0}, "samples"),
        ({"ranges": _row("a", 1)}, r"\$.ranges\[0\].low"),
        ({"ranges": _row(1, 1)}, "tensor 'conv': the range from 1 to 1 is empty"),
        ({"ranges": _row(2, -1)}, "tensor 'conv': the range from 2 to -1 is empty"),
        ({"ranges": _row(1, 1 + 1e-12)}, "tensor 'conv': .* is empty"),
        ({"ranges": _row(0, 1e39)}, "tensor 'conv': .* is not finite in float32"),
        ({"ranges": _row(-3e38, 3e38)}, "tensor 'conv': .* is not finite in float32"),
        ({"ranges": _row(0, 1) * 2}, "tensor 'conv': two ranges: remove one"),
        ({"means": [_MEANS, _MEANS]}, "node 'conv': two lists of means: remove one"),
        ({"means": [{**_MEANS, "means": [1, 1e39]}]}, "node 'conv': a mean is not finite in float"),
        ({"means": [{**_MEANS, "means": ["1"]}]}, r"\$.means\[0\].means\[0\]"),
    ],
)
def test_invalid_documents(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=f"r.json: .*{message}"):
        ranges.parse(_changed(**fields), "r.json")


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_are_not_finite(number: str) -> None:
    data = _changed(ranges=_row(0, 17)).replace(b"17", number.encode())
    with pytest.raises(InvalidInput, match="r.json: "):
        ranges.parse(data, "r.json")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no such file"):
        ranges.read(tmp_path / "r.json")
