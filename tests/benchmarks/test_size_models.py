"""The models that are measured."""

from __future__ import annotations

from benchmarks import size_models
from tfcarve.models import read


def test_lstm_has_a_while_loop() -> None:
    ops = {node.op for node in read.read(size_models.kept("lstm")).nodes}
    assert {"Enter", "LoopCond", "Merge", "NextIteration", "Switch", "Exit"} <= ops


def test_models_of_the_issue_are_there() -> None:
    assert set(size_models.NAMES) == {"inception_v3", "mobilenet_v2", "resnet_50", "lstm"}
