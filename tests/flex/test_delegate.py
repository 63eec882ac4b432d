"""Carved Flex delegates in interpreters from packages, with the outputs of full TensorFlow Lite."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from demo import nested
from demo.nested import BuildError, Workspace
from e2e import named_files
from flex import custom_op, flex_app, flex_models, interpreters
from flex.flex_app import DELEGATE, ONE_OP, ONE_OP_RELEASE
from flex.interpreters import FULL, PLAIN, InterpreterError
from tfcarve import cli

# The goals of the project for stripped delegates on arm64: of one op, and of all models.
_MAX_BYTES = {ONE_OP: 2_300_000, DELEGATE: 4_500_000}
_EXPORTS = {
    "TF_AcquireFlexDelegate",
    "tflite_plugin_create_delegate",
    "tflite_plugin_destroy_delegate",
}


@dataclass(frozen=True)
class App:
    """The nested app with the models, and its delegates for this machine."""

    workspace: Workspace
    models: Path
    delegate: Path
    one_op: Path


@pytest.fixture(scope="module", name="app")
def _app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    models = tmp_path_factory.mktemp("models")
    with flex_app.opened(models) as workspace:
        build = workspace.build([DELEGATE, ONE_OP])
        found = (flex_app.library(build.files(target)) for target in (DELEGATE, ONE_OP))
        yield App(workspace, models, *found)


@pytest.mark.parametrize("name", flex_models.MAKERS)
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
    target = f"//{flex_app.PACKAGE}:{flex_app.CUSTOM_OP}"
    delegate = flex_app.library(app.workspace.build([target]).files(target))
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


def test_unknown_cpu_is_refused(app: App, tmp_path: Path) -> None:
    def with_cpu(arguments: Sequence[str | Path]) -> list[str]:
        return ["env", "TFCARVE_CPU=sse9", *interpreters.own_python(arguments)]

    model, inputs = app.models / "one_op.tflite", flex_models.inputs("one_op")
    with pytest.raises(InterpreterError, match="TFCARVE_CPU is 'sse9', which this library does"):
        interpreters.run(PLAIN[0], str(app.one_op), model, inputs, tmp_path, with_cpu)


@pytest.mark.parametrize("name", ["audio_front_end", "lstm"])
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


def test_selection_has_no_ops_of_sessions(app: App) -> None:
    build = app.workspace.build([ONE_OP], ["--output_groups=selection"])
    file = next(f for f in build.files(ONE_OP, "selection") if f.name == "selection.json")
    document = json.loads(file.read_bytes())
    assert [op["name"] for op in document["ops"]] == ["Erf"]
    assert [kernel["op"] for kernel in document["kernels"]] == ["Erf"]


def test_sizes_and_proof_on_arm64(app: App, capsys: pytest.CaptureFixture[str]) -> None:
    arm64 = flex_app.files_for(app.workspace, "linux_arm64")
    library = flex_app.library(arm64)
    one_op = flex_app.files_for(app.workspace, "linux_arm64", ONE_OP_RELEASE)
    assert flex_app.library(one_op).stat().st_size <= _MAX_BYTES[ONE_OP]
    assert library.stat().st_size <= _MAX_BYTES[DELEGATE]
    proof = json.loads(next(file for file in arm64 if file.name == "proof.json").read_bytes())
    assert [entry["problems"] for entry in proof] == [[]]
    assert cli.main(["inspect", str(library)]) == 0
    assert "StringSplitV2" in capsys.readouterr().out


@pytest.mark.parametrize("platform", ["linux_arm64", "linux_x86_64"])
def test_release_has_the_files_that_its_fragments_name(
    platform: str, app: App, tmp_path: Path
) -> None:
    files = flex_app.files_for(app.workspace, platform)
    assert {file.name for file in files} == {
        "libtensorflow-core.a",
        "libtensorflow-registrations.a",
        "libtensorflowlite_flex.so",
        "link_flags.txt",
        "proof.json",
        "selection.json",
    }
    # Without files of earlier builds, which Bazel leaves in the folder.
    for file in files:
        (tmp_path / file.name).symlink_to(file)
    assert named_files.missing(tmp_path) == []


def test_models_that_need_no_delegate(app: App) -> None:
    """The rule refuses them with the reason."""
    model = app.workspace.folder / flex_app.PACKAGE / "one_op.tflite"
    data = model.read_bytes()
    try:
        model.write_bytes(flex_models.without_tensorflow_ops())
        with pytest.raises(BuildError, match="has no TensorFlow ops .*: it needs no delegate"):
            app.workspace.build([ONE_OP])
    finally:
        model.write_bytes(data)


def _golden(model: Path, feeds: dict[str, Any], outputs: dict[str, Path], *options: str) -> None:
    """Writes the arrays that a model is fed to files next to it, and the outputs of full TensorFlow Lite."""
    words = ["golden", str(model), *options]
    for name, (file, array) in feeds.items():
        np.save(model.parent / file, array)
        words.append(f"--input={name}={model.parent / file}")
    assert cli.main([*words, *(f"--output={name}={path}" for name, path in outputs.items())]) == 0


@pytest.fixture(scope="module", name="tested")
def _tested(app: App) -> Workspace:
    """The app, with the arrays of its tf_model_tests."""
    folder = app.models
    one_op = {"x": ("one_op_input.npy", flex_models.one_input("one_op"))}
    _golden(folder / "one_op.tflite", one_op, {"Identity": folder / "one_op_output.npy"})
    words = {"x": ("words_input.npy", flex_models.one_input("words"))}
    _golden(folder / "words.tflite", words, {"Identity": folder / "words_output.npy"})
    rows = {"x": ("rows.npy", np.ones((2, 4), np.float32))}
    infer = "--signature=infer"
    _golden(folder / "trained.tflite", rows, {"logits": folder / "logits.npy"}, infer)
    wrong = np.load(folder / "one_op_output.npy")
    wrong[1, 2] += 0.01
    np.save(folder / "one_op_wrong.npy", wrong)
    app.workspace.place(flex_app.PACKAGE, {f.name: f for f in folder.glob("*.npy")}, "*.npy")
    return app.workspace


def _test(workspace: Workspace, *names: str) -> tuple[int, str]:
    targets = [f"//{flex_app.PACKAGE}:{name}" for name in names]
    done = workspace.bazel(["test", "--test_output=errors", "--noshow_progress", "--", *targets])
    return done.returncode, done.stdout


def test_model_tests_pass(tested: Workspace) -> None:
    status, log = _test(tested, "one_op_test", "infer_test")
    assert status == 0, log


def test_wrong_output_fails_the_test(tested: Workspace) -> None:
    status, log = _test(tested, "wrong_test")
    assert status == 3, log
    assert "output 'Identity' differs in 1 of 6 numbers by more than the tolerance, 1e-05 *" in log
    assert re.search(r"[|]\); element 5 is \S+, not \S+ ", log)


def test_model_outside_of_the_delegate_fails_the_test(tested: Workspace) -> None:
    status, log = _test(tested, "outside_test")
    assert status == 3, log
    assert "words.tflite: tfcarve's Flex delegate: this library lacks 4 ops" in log
    assert "add the model to `models` of the tf_flex_delegate" in log


def test_versions_in_the_docs() -> None:
    """docs/flex.md lists the interpreters that these tests run, with their versions."""
    text = (nested.source_tree() / "docs/flex.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| ([\d.]+) \|", text, re.MULTILINE))
    assert rows == {p.replace("_", "-"): version(p.replace("_", "-")) for p in PLAIN}
