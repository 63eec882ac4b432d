"""What is proved of the app's library: the table is what TensorFlow registered, nothing is missing, models run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from demo.nested import Workspace
from e2e import app_workspace
from tfcarve.cli import main
from tfcarve.proof import binary

TARGET = "//:tensorflow"
TESTS = ["//proof:tiny_test", "//proof:tiny_arm64_test", "//proof:tolerant_test"]


@dataclass(frozen=True)
class Made:
    """The app's library and what it was made from."""

    shared: Path
    static: Path
    selection: Path
    units: Path
    counter: Path


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


@pytest.fixture(scope="module")
def made(app: Workspace) -> Made:
    groups = "--output_groups=default,parts"
    build = app.build([TARGET, "//control:alwayslink"], [groups])
    files = {f.name: f for g in ("default", "parts") for f in build.files(TARGET, g)}
    return Made(
        files["libtensorflow-core.so"],
        files["libtensorflow-core.a"],
        files["selection.json"],
        files["libunits.a"],
        build.files("//control:alwayslink")[0],
    )


def _require_proof(proof_json: Path, selection: Path) -> None:
    (proof,) = json.loads(proof_json.read_bytes())
    assert proof["problems"] == []
    selected = json.loads(selection.read_bytes())
    assert proof["registered"] == len(selected["ops"]) + len(selected["kernels"])


def test_the_library_is_proved_by_its_build(made: Made) -> None:
    _require_proof(made.shared.parent / "proof.json", made.selection)


def test_one_platform_of_a_release_is_proved_without_the_others(app: Workspace) -> None:
    flags = ["--output_groups=linux_arm64", "--norun_validations"]
    found = app.build(["//:release"], flags).files("//:release", "linux_arm64")
    files = {file.name: file for file in found}
    _require_proof(files["proof.json"], files["selection.json"])


def test_the_table_holds_each_kernel_that_is_registered(made: Made) -> None:
    """A program of the same objects counts what TensorFlow's registry has once it runs."""
    count = subprocess.run([made.counter], check=True, text=True, capture_output=True)
    (image,) = binary.images(made.shared.read_bytes(), "library")
    assert image.sections[binary.TABLE].count(b"kernel\x1f") == int(count.stdout)


def test_a_unit_removed_behind_the_provers_back(
    made: Made, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = tmp_path / "libunits.a"
    shutil.copy(made.units, units)
    units.chmod(0o644)
    assert main(["prove", str(units), str(made.selection)]) == 0
    members = subprocess.run(["ar", "t", units], check=True, text=True, capture_output=True)
    (member,) = [m for m in members.stdout.split() if "matmul" in m]
    subprocess.run(["ar", "d", units, member], check=True)
    assert main(["prove", str(units), str(made.selection)]) == 1
    error = capsys.readouterr().err
    assert "of op 'MatMul' is needed and not registered" in error
    assert re.search(r"no unit of tensorflow/core/kernels/matmul\w+\.cc is in the library", error)


def test_the_static_library_holds_the_same(made: Made) -> None:
    assert main(["prove", str(made.static), str(made.selection)]) == 0


def test_the_manifest(made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", str(made.shared)]) == 0
    manifest = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in manifest["models"]] == ["tiny.pb"]
    assert {"AppScale", "MatMul", "Relu"} <= set(manifest["ops"])


def _test(app: Workspace, targets: list[str]) -> tuple[int, str]:
    done = app.bazel(["test", "--test_output=errors", "--noshow_progress", "--", *targets])
    return done.returncode, done.stdout


def test_models_that_run(app: Workspace) -> None:
    status, log = _test(app, TESTS)
    assert status == 0, log


def test_an_output_that_is_not_as_expected(app: Workspace) -> None:
    status, log = _test(app, ["//proof:wrong_test"])
    assert status == 3, log
    assert "output 'output' differs in 1 of 6 numbers by more than 1e-05, most in element 5" in log


def test_a_model_outside_of_the_selection_is_told_all_that_is_missing(app: Workspace) -> None:
    status, log = _test(app, ["//proof:outside_test"])
    assert status == 3, log
    assert log.count("this library lacks") == 1
    for line in (
        "op Relu6, for node six, node again",
        "op PartitionedCall, for node call",
        "op Softsign, for node sign of function ",
        "kernel of op MatMul (T=double), for node product",
    ):
        assert f"\n  {line}" in log
