"""Measures what quantization costs in accuracy: a trained classifier, and large models by agreement with float.

    PYTHONPATH=tools:tests:tests/tools/support:. python -m benchmarks.preparation.quantize -o benchmarks/results/QUANTIZE.md

in the repository's root, with a Python that has the release's tensorflow-cpu. Takes more than an hour.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import measure
from benchmarks.page import head
from benchmarks.preparation import initial_scores, quantize_table
from benchmarks.preparation.quantize_table import INITIAL, SOURCE, TRAINED, Quantized
from bootstrap.console import BootstrapError
from demo import cached_models
from demo.library import INPUT, OUTPUT
from tfcarve import files
from tfcarve.errors import TfcarveError
from tfcarve.prepare.graph import graph_file

Array = np.ndarray[Any, np.dtype[Any]]
_TOOLS = Path(__file__).parents[2] / "tools"
_MODELS = {"mobilenet_v2": 224, "resnet_50": 224, "inception_v3": 299}
# What each run of `tfcarve compare` gets: its child process has a limit on its processor time.
_PART = 20
_CALIBRATED = ("minmax", "percentile", "entropy")
# Larger than any difference of probabilities: compare shows the figures and succeeds.
_ANY = "2"


def pictures(count: int, size: int, part: int) -> Array:
    """Returns pictures [count, 1, size, size, 3] of coarse and fine noise; those of different parts are independent."""
    drawn = np.random.default_rng((size, part))
    made = np.empty((count, 1, size, size, 3), np.float32)
    for picture in made:
        picture[0] = drawn.normal(0, drawn.uniform(0.02, 0.3), (size, size, 3))
        for cells in (2, 4, 8, 16):
            coarse = drawn.normal(0, drawn.uniform(0.1, 0.5), (cells, cells, 3))
            where = np.arange(size) * cells // size
            picture[0] += coarse[np.ix_(where, where)]
    return np.clip(made, -1, 1)


def _tfcarve(*words: str | Path, ends: tuple[str, str] = (INPUT, OUTPUT)) -> None:
    named = ("--inputs", ends[0], "--outputs", ends[1])
    command = [sys.executable, "-m", "tfcarve", *map(str, words), *named]
    environment = {**os.environ, "PYTHONPATH": str(_TOOLS)}
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )


def _figures(
    a: Path, b: Path, samples: Sequence[Path], ends: tuple[str, str]
) -> tuple[float, float]:
    """Returns the share of samples with the same best class, and the largest difference."""
    shares, differences = [], []
    for data in samples:
        report = data.with_suffix(".json")
        _tfcarve(
            "compare", a, b, "--data", data, "--tolerance", _ANY, "--json", "-o", report, ends=ends
        )
        (output,) = json.loads(report.read_bytes())["outputs"]
        shares.append(output["top1"])
        differences.append(output["largest"])
    return float(np.mean(shares)), max(differences)


def _forms(
    model: Path, samples: Path, folder: Path, ends: tuple[str, str]
) -> Iterator[tuple[str, Path]]:
    """Yields the description and the file of each quantized form of a model."""
    made = folder / "made.pb"
    for preset in ("weights8", "weights16", "int8"):
        _tfcarve("transform", model, "-o", made, "--preset", preset, ends=ends)
        yield f"`{preset}`", made
    for method in _CALIBRATED:
        ranges = folder / "ranges.json"
        _tfcarve("calibrate", model, "--data", samples, "-o", ranges, "--method", method, ends=ends)
        _tfcarve("transform", model, "-o", made, "--preset", "int8", "--ranges", ranges, ends=ends)
        yield f"`int8`, {method}", made
        if method == _CALIBRATED[0]:
            _tfcarve(
                "transform",
                model,
                "-o",
                made,
                "--preset",
                "weights8",
                "--ranges",
                ranges,
                ends=ends,
            )
            yield "`weights8`, calibrated", made


def _row(
    name: str, how: str, made: Path, figures: tuple[float, float], accuracy: float | None = None
) -> Quantized:
    nodes = len(graph_file.read_graph(made).nodes)
    print(f"{name}: {how}: {figures}", file=sys.stderr, flush=True)
    return Quantized(name, how, nodes, made.stat().st_size, *figures, accuracy)


def agreement(
    name: str,
    model: Path,
    samples: Callable[[int, int], Array],
    counts: tuple[int, int],
    folder: Path,
) -> Iterator[Quantized]:
    """Yields a model in each form.

    Args:
      name: of the rows.
      model: a frozen graph with the input and output of the zoo.
      samples: returns a number of samples of a part; those of different parts are independent.
      counts: how many samples are compared, and how many calibrate.
      folder: for files.
    """
    count, calibration = counts
    parts = []
    for number in range(count // _PART):
        parts.append(folder / f"{number}.npz")
        np.savez(parts[-1], **{INPUT: samples(_PART, number + 1)})
    np.savez(folder / "samples.npz", **{INPUT: samples(calibration, 0)})
    ends = (INPUT, OUTPUT)
    yield _row(name, SOURCE, model, (1.0, 0.0))
    for how, made in _forms(model, folder / "samples.npz", folder, ends):
        yield _row(name, how, made, _figures(model, made, parts, ends))


def zoo(counts: tuple[int, int], folder: Path) -> Iterator[Quantized]:
    """Yields the models of the zoo, with random weights, in each form: as they are, and with initial scores."""
    for name, size in _MODELS.items():
        model = cached_models.load(name).model
        samples = functools.partial(_noise, size)
        yield from agreement(name, model, samples, counts, folder)
        initial = folder / "initial.pb"
        graph = graph_file.read_graph(model)
        graph_file.write_graph(initial, initial_scores.with_initial_scores(graph))
        yield from agreement(f"{name}{INITIAL}", initial, samples, counts, folder)


def _noise(size: int, count: int, part: int) -> Array:
    return pictures(count, size, part)


def trained_models(counts: tuple[int, int], folder: Path) -> Iterator[Quantized]:
    """Yields the trained models on photos in each form."""
    from benchmarks.preparation import trained_models  # imports tensorflow

    for name in trained_models.SIZES:
        model = folder / f"{name}.pb"
        trained_models.write_model(name, model)
        samples = functools.partial(trained_models.photos, name)
        yield from agreement(f"{TRAINED}{name}", model, samples, counts, folder)


def classifier(folder: Path) -> Iterator[Quantized]:
    """Yields the trained classifier in each form."""
    import trained  # imports tensorflow

    model, ends = folder / "classifier.pb", ("x", "y")
    graph_file.write_graph(model, trained.classifier())
    tested = trained.pictures(4000, 2)
    np.savez(folder / "samples.npz", x=trained.pictures(500, 1).batches())
    np.savez(folder / "tested.npz", x=tested.batches())
    yield _row(
        "classifier",
        SOURCE,
        model,
        (1.0, 0.0),
        trained.accuracy(graph_file.read_graph(model), tested),
    )
    for how, made in _forms(model, folder / "samples.npz", folder, ends):
        figures = _figures(model, made, [folder / "tested.npz"], ends)
        accuracy = trained.accuracy(graph_file.read_graph(made), tested)
        yield _row("classifier", how, made, figures, accuracy)


_COMMAND = "PYTHONPATH=tools:tests:tests/tools/support:. python -m benchmarks.preparation.quantize -o benchmarks/results/QUANTIZE.md"


def text(machine: str, count: int, calibration: int, rows: Sequence[Quantized]) -> str:
    """Returns the page."""
    misses = quantize_table.missed(rows)
    return "\n".join(
        (
            head("Quantization", _COMMAND, machine),
            "Each preset of `tfcarve transform`, in full TensorFlow. `int8` without a method measures its ranges whenever the model",
            "runs. Forms with a method, and calibrated `weights8`, have biases that are corrected by the means of samples. The",
            "classifier is that of tests/tools/support/trained.py: trained on 8,000 generated pictures of ten signs, tested on 4,000",
            "others, calibrated on 500. The other models are compared with their frozen graphs on",
            f"{count} samples, and calibrated on {calibration} others. Those called nsfwjs are trained, from the npm package of this",
            "name, and their samples are parts of the photos in scikit-image. The rest has random weights, and its samples are noise: the",
            "weights of the last layer are multiplied until the largest probability is over 0.1, or have the size of Keras' initial",
            "weights, with which the largest of the thousand probabilities is 0.002 to 0.02.\n",
            quantize_table.models(rows),
            "\nMissed goals:\n" if misses else "\nAll goals are met.",
            *(f"- {miss}" for miss in misses),
            "",
        )
    )


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0, or 2 if a model can't be created or run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.preparation.quantize", description=__doc__
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--samples", type=int, default=200, metavar="N", help="of the large models")
    parser.add_argument("--calibration", type=int, default=20, metavar="N", help="their samples")
    arguments = parser.parse_args(argv)
    try:
        with tempfile.TemporaryDirectory() as name:
            scratch = Path(name)
            rows = list(classifier(scratch))
            counts = (arguments.samples, arguments.calibration)
            rows += trained_models(counts, scratch)
            rows += zoo(counts, scratch)
    except (BootstrapError, TfcarveError, subprocess.CalledProcessError) as error:
        print(f"quantize: {error} {getattr(error, 'stderr', '') or ''}", file=sys.stderr)
        return 2
    page = text(measure.machine(), arguments.samples, arguments.calibration, rows)
    files.write_if_changed(arguments.output, page.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
