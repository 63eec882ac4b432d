"""The accuracy of a trained classifier with each preset that quantizes."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import prepared
import pytest
import trained

import extent
from tfcarve import cli
from tfcarve.prepare.graph import graph_file
from tfcarve.prepare.graph.graph import Graph

pytestmark = pytest.mark.usefixtures("reused")

# The largest loss of accuracy.
_LOSS = 0.005
_ENDS = ("--inputs", "x", "--outputs", "y")


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the classifier and samples for its calibration."""
    folder = tmp_path_factory.mktemp("classifier")
    graph_file.write_graph(folder / "model.pb", trained.classifier())
    np.savez(folder / "samples.npz", x=trained.pictures(500, 1).batches())
    return folder


@pytest.fixture(name="tested", scope="module")
def _tested() -> trained.Pictures:
    return trained.pictures(4000, 2)


@pytest.fixture(name="float_accuracy", scope="module")
def _float_accuracy(folder: Path, tested: trained.Pictures) -> Iterator[float]:
    found = trained.accuracy(graph_file.read_graph(folder / "model.pb"), tested)
    assert 0.85 < found < 0.998, "neither hard nor so easy that a loss would not show"
    yield found


def _transformed(folder: Path, *words: str) -> Graph:
    output = folder / "out.pb"
    assert cli.main(["transform", str(folder / "model.pb"), "-o", str(output), *_ENDS, *words]) == 0
    return graph_file.read_graph(output)


def _ranges(folder: Path, method: str, samples: str = "samples.npz") -> str:
    words = ("--data", str(folder / samples), "-o", str(folder / "ranges.json"))
    assert (
        cli.main(["calibrate", str(folder / "model.pb"), *words, *_ENDS, "--method", method]) == 0
    )
    return str(folder / "ranges.json")


@pytest.mark.parametrize(
    ("preset", "fuse"),
    extent.some(
        list(product(("weights8", "weights16", "int8"), ((), ("--fuse",)))),
        ("weights8", ("--fuse",)),
        ("weights16", ()),
        ("int8", ("--fuse",)),
    ),
)
def test_presets(
    preset: str,
    fuse: tuple[str, ...],
    folder: Path,
    tested: trained.Pictures,
    float_accuracy: float,
) -> None:
    after = _transformed(folder, "--preset", preset, *fuse)
    assert trained.accuracy(after, tested) >= float_accuracy - _LOSS
    ops = prepared.ops(after)
    changed = {"weights8": "Dequantize", "weights16": "Cast", "int8": "QuantizedConv2D"}
    assert changed[preset] in ops
    assert ("_FusedConv2D" in ops) == (fuse != () and preset != "int8")


@pytest.mark.parametrize("method", ["minmax", "percentile", "entropy"])
def test_calibrated(
    method: str, folder: Path, tested: trained.Pictures, float_accuracy: float
) -> None:
    after = _transformed(folder, "--preset", "int8", "--ranges", _ranges(folder, method))
    assert trained.accuracy(after, tested) >= float_accuracy - _LOSS
    ops = prepared.ops(after)
    assert {"RequantizationRange", "Min", "Max"}.isdisjoint(ops)
    assert ops["QuantizeV2"] == 1


def test_wrong_ranges_lose_accuracy(
    folder: Path, tested: trained.Pictures, float_accuracy: float
) -> None:
    """So the tests above would show ranges that do not fit."""
    np.savez(folder / "dark.npz", x=trained.pictures(500, 1).batches() * 0.1)
    ranges = _ranges(folder, "minmax", "dark.npz")
    after = _transformed(folder, "--preset", "int8", "--ranges", ranges)
    assert trained.accuracy(after, tested) < float_accuracy - 0.05
