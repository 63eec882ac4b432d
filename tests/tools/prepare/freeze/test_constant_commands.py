"""The commands that read models, with --constant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from freeze_running import graph_of, ops_of, run
from input_sources import OPTIONS, X, classic, saved_model

from tfcarve.cli import main


def _words(options: Sequence[str]) -> list[str]:
    return [word for option in options for word in ("--constant", option)]


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands that freeze or read the model agree."""
    source = classic(tmp_path / "m", True)
    graph, output = str(source.path), str(tmp_path / "o.pb")
    options = [*_words(OPTIONS), "--checkpoint", source.options["checkpoint"], "--outputs=y"]
    assert main(["transform", graph, "-o", output, *options, "--preset=mobile"]) == 0
    data = Path(output).read_bytes()
    assert [n.name for n in graph_of(data).node if n.op == "Placeholder"] == ["x"]
    assert not ops_of(data) & {"Switch", "Merge", "Mean", "RandomUniform"}
    found = run(data, source.feeds, ["y"])["y"]
    assert np.abs(found - source.expected["y"]).max() < 1e-6
    assert main(["compare", graph, output, *options]) == 0
    np.save(tmp_path / "x.npy", X)
    words = [f"--input=x={tmp_path / 'x.npy'}", f"--output=y={tmp_path / 'y.npy'}"]
    assert main(["golden", graph, *words, *options]) == 0
    assert np.abs(np.load(tmp_path / "y.npy") - source.expected["y"]).max() < 1e-6
    # The control: the comparison detects another value.
    others = ["--constant=keep_prob=1", "--constant=phase_train=true", *options[4:]]
    assert main(["compare", graph, output, *others]) == 1
    capsys.readouterr()


def test_compare_runs_a_saved_model_with_the_value(tmp_path: Path) -> None:
    source = saved_model(tmp_path / "m")
    output = str(tmp_path / "o.pb")
    words = ["--constant", "training=false"]
    assert main(["freeze", str(source.path), "-o", output, *words]) == 0
    assert main(["compare", str(source.path), output, *words]) == 0
    assert main(["compare", str(source.path), output, "--constant", "training=true"]) != 0
