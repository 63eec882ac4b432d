"""The advice of `tfcarve select` about leftovers is followed: they are gone, and the outputs are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import advice
import numpy as np
import pytest
import tensorflow as tf
from freeze_running import frozen_here, graph_of, ops_of, run
from leftover_models import FORMS, Trained, decoder, trained
from tensorflow.python.framework import op_def_registry

import extent
from tfcarve import cli
from tfcarve.models import read
from tfcarve.models.choice import Choice
from tfcarve.models.node_use import Model
from tfcarve.prepare.evaluate.evaluator import Evaluator
from tfcarve.prepare.graph import endpoints, graph_file
from tfcarve.prepare.pipeline import pipeline
from tfcarve.prepare.pipeline.transform_list import parse
from tfcarve.releases import known
from tfcarve.selection import leftover_kinds
from tfcarve.selection.input_decoding import decoding
from tfcarve.selection.leftover_kinds import Kind
from tfcarve.selection.leftovers import leftovers
from tfcarve.selection.reachable import reachable_nodes

v1 = tf.compat.v1
_KINDS = leftover_kinds.load(known.release())
# Each kind in each form of models; a quick run has one form of each kind, in turn.
_CASES = [(form, kind) for form in FORMS for kind in _KINDS.kinds]
_QUICK = [(FORMS[number % len(FORMS)], kind) for number, kind in enumerate(_KINDS.kinds)]


class _Facts:
    """Properties of TensorFlow's ops, as selection takes them from the index."""

    def has_side_effects(self, name: str) -> bool:
        op = op_def_registry.get(name)
        takes = op is None or any(a.is_ref or a.type == 20 for a in op.input_arg)
        return takes or (op.is_stateful and not op.output_arg)

    def returns_bool(self, name: str) -> bool:
        op = op_def_registry.get(name)
        return op is not None and all(arg.type == 10 for arg in op.output_arg)


def _kinds(model: Model) -> set[str]:
    """Returns the kinds of leftovers in a model whose output is y."""
    known_outputs = model if model.outputs else replace(model, outputs=frozenset(("y",)))
    found = leftovers(known_outputs, reachable_nodes(model), _KINDS, _Facts())
    return {kind.id for kind in found.values()}


@pytest.fixture(name="evaluator", scope="module")
def _evaluator() -> Iterable[Evaluator]:
    with Evaluator() as running:
        yield running


@pytest.fixture(name="model_of", scope="module")
def _model_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Trained]:
    """Returns a function that returns the model of a form, which it creates once."""
    return cache(lambda form: trained(form, tmp_path_factory.mktemp("model")))


def _followed(words: list[str], folder: Path, evaluator: Evaluator) -> Path:
    """Runs a command line in this process; returns the result."""
    folder.mkdir(exist_ok=True)
    output = folder / "result.pb"
    arguments = cli.parser([words[0]]).parse_args([*words, "-o", str(output)])
    if words[0] == "freeze":
        options = {"inputs": arguments.inputs, "outputs": arguments.outputs}
        data = frozen_here(arguments.source, folder, checkpoint=arguments.checkpoint, **options)
        output.write_bytes(data)
        return output
    assert words[0] == "transform"
    graph = graph_file.read_graph(arguments.model)
    inputs = arguments.inputs or endpoints.inputs(graph)
    steps = parse(arguments.transforms)
    created = pipeline.transform(graph, steps, inputs, arguments.outputs, evaluator)
    graph_file.write_graph(output, created)
    return output


def _require_removed(kind: str, model: Trained, words: list[str], result: Path) -> None:
    """Requires that a result has no leftovers of a kind, and computes the same output."""
    assert kind not in _kinds(read.read(result)), words
    data = result.read_bytes()
    existing = {node.name for node in graph_of(data).node}
    feeds = {name: value for name, value in model.feeds.items() if name in existing}
    assert np.abs(run(data, feeds, ["y"])["y"] - model.expected).max() < 1e-6


@pytest.mark.parametrize(
    ("form", "kind"),
    [pytest.param(*case, id=f"{case[0]}-{case[1].id}") for case in extent.some(_CASES, *_QUICK)],
)
def test_leftovers_of_training(
    form: str,
    kind: Kind,
    model_of: Callable[[str], Trained],
    tmp_path: Path,
    evaluator: Evaluator,
) -> None:
    """The kinds come from the data file, so the advice of a new kind is followed too; it needs a part in leftover_models.py."""
    model = model_of(form)
    assert kind.id in _kinds(read.read(model.graph))
    for number, (text, path) in enumerate(_alternatives(kind.transform, model)):
        for words in advice.commands(text, {**model.names, "MODEL": str(path)}):
            if words[0] == "select":
                arguments = cli.parser(["select"]).parse_args([*words, "-o", "s.json"])
                chosen = read.read(path, Choice(signatures=tuple(arguments.signature)))
                assert kind.id not in _kinds(chosen)
                continue
            result = _followed(words, tmp_path / str(number), evaluator)
            _require_removed(kind.id, model, words, result)


def _alternatives(text: str, model: Trained) -> list[tuple[str, Path]]:
    """Returns the advice for a GraphDef, and for a SavedModel if that is different, each with the model."""
    first, _, other = text.partition(", or for a SavedModel ")
    return [(first, model.graph), *([(other, model.saved)] if other else [])]


@pytest.mark.parametrize("form", FORMS)
def test_wrong_advice_is_detected(
    form: str, model_of: Callable[[str], Trained], tmp_path: Path, evaluator: Evaluator
) -> None:
    model = model_of(form)
    text = "tfcarve transform MODEL --outputs OUTPUTS --transforms remove_device"
    (words,) = advice.commands(text, {**model.names, "MODEL": str(model.graph)})
    result = _followed(words, tmp_path, evaluator)
    for kind in _KINDS.kinds:
        with pytest.raises(AssertionError):
            _require_removed(kind.id, model, words, result)


def _sound(second_only: bool) -> None:
    audio, rate = tf.audio.decode_wav(v1.placeholder(tf.string, [], name="file"), name="decoded")
    number = tf.cast(-rate, tf.float32)
    tf.multiply(number if second_only else audio * number, 2.0, name="y")


def _reported(path: Path) -> Mapping[str, str]:
    return decoding(list(read.read(path).nodes), frozenset("y"), _KINDS.decoding)


def _save(path: Path, draw: Callable[[], None]) -> None:
    with tf.Graph().as_default() as graph:
        draw()
    path.write_bytes(graph.as_graph_def().SerializeToString())


def _without_decoding(path: Path, folder: Path, evaluator: Evaluator) -> bytes:
    """Follows the advice for a model that decodes its input."""
    (text,) = set(_reported(path).values())
    (words,) = advice.commands(text, {"MODEL": str(path), "OUTPUTS": "y"})
    result = _followed(words, folder, evaluator)
    assert _reported(result) == {}
    return result.read_bytes()


@pytest.mark.parametrize("second_only", [False, True])
def test_decoding_with_several_tensors(
    second_only: bool, tmp_path: Path, evaluator: Evaluator
) -> None:
    _save(tmp_path / "m.pb", lambda: _sound(second_only))
    data = _without_decoding(tmp_path / "m.pb", tmp_path, evaluator)
    assert "DecodeWav" not in ops_of(data)
    fed = {n.name: 3 if n.name == "decoded_1" else [[2.0]] for n in graph_of(data).node}
    fed = {n.name: fed[n.name] for n in graph_of(data).node if n.op == "Placeholder"}
    assert run(data, fed, ["y"])["y"].tolist() == (-6 if second_only else [[-12]])


@pytest.mark.parametrize("form", FORMS)
def test_decoding_with_one_tensor(form: str, tmp_path: Path, evaluator: Evaluator) -> None:
    path = tmp_path / "m.pb"
    _save(path, decoder(form))
    picture = np.zeros((2, 3, 3), np.uint8)
    expected = run(path.read_bytes(), {"file": tf.io.encode_png(picture).numpy()}, ["y"])["y"]
    data = _without_decoding(path, tmp_path, evaluator)
    assert "DecodePng" not in ops_of(data)
    assert np.array_equal(run(data, {"decoded": picture.astype(np.float32)}, ["y"])["y"], expected)
