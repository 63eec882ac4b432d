"""Models that Keras 3 saved: their frozen graphs have Keras' outputs in the TensorFlow release that is carved."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import pytest
import tensorflow as tf

import examples
import extent
from keras3 import fork_client
from keras3.names import NAMES, QUICK
from keras3.samples import Programs, Sample, samples
from keras3.tolerances import Array, error, tolerance
from models import frozen

# Runs a Python file.
_PYTHON = ("keras3.python",)


@pytest.fixture(name="programs", scope="module")
def _programs() -> Iterator[Programs]:
    with fork_client.opened() as programs:
        yield programs


@pytest.fixture(name="models", scope="module")
def _models(programs: Programs, tmp_path_factory: pytest.TempPathFactory) -> Sequence[Sample]:
    folder = tmp_path_factory.mktemp("models")
    return list(samples(programs, folder, extent.of(QUICK, NAMES)))


def _graph(file: Path) -> Any:
    return tf.compat.v1.GraphDef.FromString(file.read_bytes())


def _outputs(graph: Path, inputs: Mapping[str, Array], names: Sequence[str]) -> list[Array]:
    return frozen.run(_graph(graph), inputs, names)


def test_outputs_are_those_of_keras(models: Sequence[Sample]) -> None:
    wrong = {}
    for one in models:
        found = _outputs(one.graph, one.inputs, list(one.expected))
        for value, (name, expected) in zip(found, one.expected.items(), strict=True):
            assert value.dtype == expected.dtype, one.name
            assert value.shape == expected.shape, one.name
            found_error = error(value, expected)
            if found_error > tolerance(one.name):
                wrong[one.name, name] = found_error
    assert not wrong


def test_other_inputs_have_other_outputs(models: Sequence[Sample]) -> None:
    """The control: the outputs are not those of any input."""
    one = next(one for one in models if one.name == "lstm")
    inputs = {name: array * 2 for name, array in one.inputs.items()}
    (name,) = one.expected
    (found,) = _outputs(one.graph, inputs, [name])
    assert error(found, one.expected[name]) > tolerance(one.name)


def test_model_is_compared_with_its_frozen_graph(
    programs: Programs, models: Sequence[Sample], tmp_path: Path
) -> None:
    one = models[0]
    report = json.loads(programs.run(programs.tfcarve, "compare", one.file, one.graph, "--json"))
    assert report["outputs"]
    changed = tmp_path / "changed.keras"
    shutil.copy(models[1].file, changed)
    with pytest.raises(RuntimeError, match="no output in common|is not a Placeholder"):
        programs.run(programs.tfcarve, "compare", changed, one.graph)


def test_commands_of_the_page(
    programs: Programs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of docs/prepare.md, which //tests/tools/prepare/freeze runs with Keras 2.

    They import Keras in processes of their own.
    """
    real = Programs.of_test()
    page = examples.runfile("PREPARE_MD", "docs/prepare.md").read_text(encoding="utf-8")
    blocks = examples.blocks(examples.section(page, "Freeze"))
    (code,) = (text for kind, text in blocks if kind == "python")
    monkeypatch.chdir(tmp_path)
    Path("save.py").write_text(code, encoding="utf-8")
    programs.run(_PYTHON, "save.py")
    for (command,), shown in examples.paired(blocks):
        _, *words = shlex.split(command)
        examples.require_shown(shown, real.run(real.tfcarve, *words))
    found = real.run(real.tfcarve, "freeze", "digits", "-o", "same.pb")
    assert "output_0" in found


_SAVING = """\
import keras
import tensorflow as tf

tf.saved_model.save(keras.saving.load_model({file!r}), {folder!r})
"""


def test_saved_model_that_tensorflow_saves(
    programs: Programs, models: Sequence[Sample], tmp_path: Path
) -> None:
    """Its graph restores other variables than it reads; the full names of the checkpoint tell which are meant."""
    one = next(one for one in models if one.name == "lstm")
    folder, code, output = tmp_path / "saved", tmp_path / "save.py", tmp_path / "o.pb"
    code.write_text(_SAVING.format(file=str(one.file), folder=str(folder)))
    programs.run(_PYTHON, code)
    programs.run(programs.tfcarve, "freeze", folder, "-o", output)
    (name,) = re.findall(r"name: \"(output_\d)\"", str(_graph(output)))
    (expected,) = one.expected.values()
    (fed,) = (node.name for node in _graph(output).node if node.op == "Placeholder")
    (found,) = _outputs(output, {fed: next(iter(one.inputs.values()))}, [name])
    assert error(found, expected) < tolerance(one.name)
    with pytest.raises(RuntimeError, match="does not restore the variable .* model.export"):
        programs.run(programs.tfcarve, "compare", folder, output)


def _other_shape(members: dict[str, bytes]) -> None:
    weights = io.BytesIO(members["model.weights.h5"])
    with h5py.File(weights, "r+") as file:
        del file["layers/dense/vars/0"]
        file["layers/dense/vars/0"] = [1.0, 2.0]
    members["model.weights.h5"] = weights.getvalue()


def _replaced(old: bytes, new: bytes) -> Callable[[dict[str, bytes]], None]:
    def change(members: dict[str, bytes]) -> None:
        assert old in members["config.json"]
        members["config.json"] = members["config.json"].replace(old, new)

    return change


_DAMAGE = {
    "shape of a weight": (_other_shape, r"variable\.shape=\(6, 3\), Received: value\.shape=\(2,\)"),
    "unknown layer": (_replaced(b'"LSTM"', b'"Lost"'), "Could not deserialize 'keras.layers.Lost'"),
    "unknown argument": (_replaced(b'"unroll"', b'"enroll"'), "Unrecognized keyword arguments"),
    "lambda": (_replaced(b'"LSTM"', b'"Lambda"'), "it has a Lambda, which runs code from the file"),
}


@pytest.mark.parametrize("damage", extent.some(list(_DAMAGE), "shape of a weight"))
def test_damaged_file(
    programs: Programs, models: Sequence[Sample], tmp_path: Path, damage: str
) -> None:
    change, message = _DAMAGE[damage]
    with zipfile.ZipFile(next(one for one in models if one.name == "lstm").file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    file, output = tmp_path / "damaged.keras", tmp_path / "damaged.pb"
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    done = programs.done(programs.tfcarve, "freeze", file, "-o", output)
    assert done.returncode == 2
    assert re.fullmatch(rf"tfcarve: .*damaged\.keras: .*{message}.*\n", done.stderr), done.stderr
    assert not output.exists()


_LAYER = """
import keras

class Doubled(keras.layers.Layer):
    def call(self, x):
        return 2 * x
"""


def test_custom_objects(programs: Programs, models: Sequence[Sample], tmp_path: Path) -> None:
    """A layer of the user is refused, with the advice that the second command follows."""
    layer = b'{"module": "__main__", "class_name": "Doubled", "config": {"name": "twice"}, "registered_name": "Doubled"}'
    one = next(one for one in models if one.name == "lstm")
    with zipfile.ZipFile(one.file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    config = json.loads(members["config.json"])
    config["config"]["layers"].append(json.loads(layer))
    file, output, code = tmp_path / "m.keras", tmp_path / "m.pb", tmp_path / "layers.py"
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in {**members, "config.json": json.dumps(config).encode()}.items():
            archive.writestr(name, data)
    code.write_text(_LAYER)
    freeze = (programs.tfcarve, "freeze", file, "-o", output)
    with pytest.raises(RuntimeError, match="pass the Python file that defines it with --custom-ob"):
        programs.run(*freeze)
    programs.run(*freeze, "--custom-objects", code)
    (found,) = _outputs(output, one.inputs, ["twice"])
    (expected,) = one.expected.values()
    assert error(found, 2 * expected) < tolerance(one.name)


def test_names_are_those_of_the_models() -> None:
    """Also of the models that only a full run saves."""
    folder = Path(os.environ["RUNFILES_DIR"], "_main/tests/keras3")
    functions = (folder / "architectures.py").read_text().split("\n@_model(")[1:]
    names = [text.partition("def ")[2].partition("(")[0] for text in functions]
    modules = (folder / "modules.py").read_text()
    assert sorted(NAMES) == sorted([*names, *re.findall(r"^def ([a-z]\w*)\(", modules, re.M)])
