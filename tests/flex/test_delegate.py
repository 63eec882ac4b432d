"""Carved Flex delegates in interpreters from packages, with the outputs of full TensorFlow Lite."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

import extent
from built import published
from built.published import Published
from e2e.builds import named_files
from flex import custom_op, flex_app, flex_models, interpreters
from flex.flex_app import DELEGATE, DELEGATE_RELEASE, FEW, ONE_OP, ONE_OP_RELEASE
from flex.interpreters import FULL, PLAIN, InterpreterError
from tfcarve import cli

# A quick run has a delegate for fewer models, and one of one op for arm64.
_ALL = extent.of(FEW, DELEGATE)
_MODELS = extent.some(tuple(flex_models.MAKERS), *flex_app.FEW_MODELS)
_RELEASE = extent.of(ONE_OP_RELEASE, DELEGATE_RELEASE)
# The goals of the project for stripped delegates on arm64: of one op, and of all models.
_MAX_BYTES = extent.of(2_300_000, 4_500_000)
_PAGE = Path(os.environ.get("RUNFILES_DIR", "")) / "_main/docs/flex.md"
_EXPORTS = {
    "TF_AcquireFlexDelegate",
    "tflite_plugin_create_delegate",
    "tflite_plugin_destroy_delegate",
}


@dataclass(frozen=True)
class App:
    """The models, and their delegates for this machine."""

    models: Path
    delegate: Path
    one_op: Path


@pytest.fixture(scope="module", name="app")
def _app() -> App:
    return App(published.of("flex").models, _library(_ALL), _library(ONE_OP))


def _library(target: str, group: str = "default") -> Path:
    return _published(target).named(target, group)[flex_app.LIBRARY]


def _published(target: str) -> Published:
    return published.of("flex_full" if target in (DELEGATE, DELEGATE_RELEASE) else "flex")


@pytest.mark.parametrize("name", _MODELS)
def test_outputs_are_those_of_full_tensorflow_lite(name: str, app: App, tmp_path: Path) -> None:
    model = app.models / f"{name}.tflite"
    inputs = flex_models.inputs(name)
    expected = interpreters.run(FULL, "-", model, inputs, tmp_path)
    for package in PLAIN:
        for delegate in (f"{app.delegate}", f"symbol:{app.delegate}"):
            found = interpreters.run(package, delegate, model, inputs, tmp_path)
            assert set(found) == set(expected)
            for key, array in expected.items():
                assert interpreters.equal(found[key], array), (package, delegate, key)
    if name == "trained":
        # Training changes the outputs, and restoring the checkpoint changes them back.
        assert not interpreters.equal(expected["0/infer/logits"], expected["4/infer/logits"])
        assert not interpreters.equal(expected["4/infer/logits"], expected["6/infer/logits"])


@pytest.mark.parametrize("package", PLAIN)
def test_op_of_the_app(package: str, app: App, tmp_path: Path) -> None:
    delegate = _library(flex_app.OF_CUSTOM_OP)
    model, x = app.models / f"{flex_app.CUSTOM_OP}.tflite", flex_models.one_input("one_op")
    found = interpreters.run(package, str(delegate), model, {"0": x}, tmp_path)
    assert interpreters.equal(found["0"], (x + 1) * custom_op.FACTOR * 2)
    with pytest.raises(InterpreterError, match="op AppScale, for node 1"):
        interpreters.run(package, str(app.one_op), model, {"0": x}, tmp_path)


@pytest.mark.parametrize("package", PLAIN)
def test_a_model_needs_the_delegate(package: str, app: App, tmp_path: Path) -> None:
    """The control: without the delegate these interpreters have no TensorFlow ops."""
    with pytest.raises(InterpreterError, match="FlexErf"):
        interpreters.run(
            package, "-", app.models / "one_op.tflite", flex_models.inputs("one_op"), tmp_path
        )


@pytest.mark.parametrize("package", PLAIN)
def test_missing_ops_are_one_message(package: str, app: App, tmp_path: Path) -> None:
    model = app.models / "words.tflite"
    for delegate in (f"{app.one_op}", f"symbol:{app.one_op}"):
        with pytest.raises(InterpreterError) as raised:
            interpreters.run(package, delegate, model, flex_models.inputs("words"), tmp_path)
        text = str(raised.value)
        assert "add the model to `models` of the tf_flex_delegate" in text
        for op in ("StaticRegexReplace", "StringJoin", "StringSplitV2", "StringToHashBucketFast"):
            assert f"op {op}" in text


def _damaged(model: Path, folder: Path, old: bytes, new: bytes) -> Path:
    """A copy of a model in which the first `old` is `new`."""
    data = model.read_bytes()
    assert len(old) == len(new)
    place = data.index(old)
    path = folder / "damaged.tflite"
    path.write_bytes(data[:place] + new + data[place + len(old) :])
    return path


@pytest.mark.parametrize("package", PLAIN)
def test_data_that_do_not_name_the_op(package: str, app: App, tmp_path: Path) -> None:
    """Without a crash; an interpreter with other structures would look like this too."""
    data = (app.models / "one_op.tflite").read_bytes()
    # The op's name as a FlexBuffer string: its length precedes it.
    model = _damaged(app.models / "one_op.tflite", tmp_path, b"\x03Erf\x00", b"\x03Abs\x00")
    assert model.read_bytes() != data
    with pytest.raises(InterpreterError, match="its data do not name the op"):
        interpreters.run(package, str(app.delegate), model, flex_models.inputs("one_op"), tmp_path)


@pytest.mark.parametrize("package", PLAIN)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A field of the unknown wire type 7, and another op.
        (b"\x17\x12\x03Erf", b"\x17\x17\x03Erf"),
        (b"\x17\x12\x03Erf", b"\x17\x12\x03Abs"),
    ],
)
def test_damaged_node_def(old: bytes, new: bytes, package: str, app: App, tmp_path: Path) -> None:
    model = _damaged(app.models / "one_op.tflite", tmp_path, old, new)
    with pytest.raises(InterpreterError, match=r"node 1 \(FlexErf\): its NodeDef is damaged"):
        interpreters.run(package, str(app.one_op), model, flex_models.inputs("one_op"), tmp_path)


@pytest.mark.parametrize("package", PLAIN)
def test_another_type_is_one_message(package: str, app: App, tmp_path: Path) -> None:
    model = tmp_path / "doubles.tflite"
    model.write_bytes(flex_models.one_op_of_doubles())
    with pytest.raises(InterpreterError) as raised:
        interpreters.run(package, str(app.one_op), model, {"0": np.zeros((2, 3))}, tmp_path)
    text = str(raised.value)
    assert "this library lacks 1 ops or kernels" in text
    assert "kernel of op Erf (T=double), for node 0" in text
    assert text.count("add the model to `models` of the tf_flex_delegate") == 1


@pytest.mark.parametrize("package", PLAIN)
def test_shapes_are_known_before_a_run(package: str, app: App, tmp_path: Path) -> None:
    """The delegate computes the shapes of its outputs: their memory exists before the run."""
    program = tmp_path / "shapes.py"
    program.write_text(
        f"from {package}.interpreter import Interpreter, load_delegate\n"
        f"loaded = Interpreter({str(app.models / 'one_op.tflite')!r},\n"
        f"    experimental_delegates=[load_delegate({str(app.one_op)!r})])\n"
        "ops = {op['op_name']: op for op in loaded._get_ops_details()}\n"
        "def show():\n"
        "    try:\n"
        "        print(loaded.get_tensor(ops['FlexErf']['outputs'][0]).shape)\n"
        "    except ValueError as error:\n"
        "        print(error)\n"
        "show()\n"
        "loaded.allocate_tensors()\n"
        "show()\n"
    )
    done = interpreters.python([program], tmp_path)
    assert done.returncode == 0, done.stderr
    before, after = done.stdout.splitlines()
    assert "Tensor data is null" in before  # the control
    assert after == "(2, 3)"


def test_unknown_cpu_is_refused(app: App, tmp_path: Path) -> None:
    def with_cpu(arguments: Sequence[str | Path]) -> list[str]:
        return ["env", "TFCARVE_CPU=sse9", *interpreters.own_python(arguments)]

    model, inputs = app.models / "one_op.tflite", flex_models.inputs("one_op")
    with pytest.raises(InterpreterError, match="TFCARVE_CPU is 'sse9', which this library does"):
        interpreters.run(PLAIN[0], str(app.one_op), model, inputs, tmp_path, with_cpu)


@pytest.mark.parametrize("name", extent.of(["one_op"], ["audio_front_end", "lstm"]))
@pytest.mark.parametrize("package", PLAIN)
def test_two_threads(package: str, name: str, app: App, tmp_path: Path) -> None:
    model, inputs = app.models / f"{name}.tflite", flex_models.inputs(name)
    expected = interpreters.run(FULL, "-", model, inputs, tmp_path)
    found = interpreters.run(f"{package}:2", str(app.delegate), model, inputs, tmp_path)
    for key, array in expected.items():
        assert interpreters.equal(found[key], array), key


# tflite-runtime 2.14.0 finds a delegate by its symbol before it sets the number of threads, so that delegate has the default.
@pytest.mark.parametrize(
    ("package", "way"), [*((package, "") for package in PLAIN), ("ai_edge_litert", "symbol:")]
)
def test_too_many_threads_are_refused(package: str, way: str, app: App, tmp_path: Path) -> None:
    model, inputs = app.models / "one_op.tflite", flex_models.inputs("one_op")
    with pytest.raises(InterpreterError, match="has 1000000000 threads: set 1 to 1024"):
        interpreters.run(f"{package}:1000000000", f"{way}{app.one_op}", model, inputs, tmp_path)


@pytest.mark.parametrize("package", PLAIN)
def test_options_are_refused(package: str, app: App, tmp_path: Path) -> None:
    code = (
        f"from {package}.interpreter import load_delegate\n"
        f"load_delegate({str(app.delegate)!r}, {{'threads': '2'}})"
    )
    program = tmp_path / "options.py"
    program.write_text(code)
    done = interpreters.python([program], tmp_path)
    assert done.returncode == 1
    assert "a Flex delegate has no options: remove threads" in done.stderr


def test_exported_symbols(app: App) -> None:
    with app.delegate.open("rb") as stream:
        symbols = ELFFile(stream).get_section_by_name(".dynsym").iter_symbols()
        assert {s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF"} == _EXPORTS


def test_selection_has_no_ops_of_sessions() -> None:
    file = published.of("flex").named(ONE_OP, "selection")["selection.json"]
    document = json.loads(file.read_bytes())
    assert [op["name"] for op in document["ops"]] == ["Erf"]
    assert [kernel["op"] for kernel in document["kernels"]] == ["Erf"]


def test_sizes_and_proof_on_arm64(capsys: pytest.CaptureFixture[str]) -> None:
    library = _library(_RELEASE, "linux_arm64")
    assert library.stat().st_size <= _MAX_BYTES
    proof = json.loads((library.parent / "proof.json").read_bytes())
    assert [entry["problems"] for entry in proof] == [[]]
    assert cli.main(["inspect", str(library)]) == 0
    assert extent.of("Erf", "StringSplitV2") in capsys.readouterr().out


@pytest.mark.parametrize("platform", ["linux_arm64", "linux_x86_64"])
def test_release_has_the_files_that_its_fragments_name(platform: str, tmp_path: Path) -> None:
    files = _published(_RELEASE).files(_RELEASE, platform)
    assert {file.name for file in files} == {
        "libtensorflow-core.a",
        "libtensorflow-registrations.a",
        "libtensorflowlite_flex.so",
        "link_flags.txt",
        "proof.json",
        "selection.json",
    }
    for file in files:
        (tmp_path / file.name).symlink_to(file)
    assert named_files.missing(tmp_path) == []


def test_versions_in_the_docs() -> None:
    """docs/flex.md lists the interpreters that these tests run, with their versions."""
    text = _PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", text, re.MULTILINE))
    assert rows == {p.replace("_", "-"): version(p.replace("_", "-")) for p in PLAIN}
