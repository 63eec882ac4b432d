"""Proofs of the app's library: the table has TensorFlow's registrations, nothing is missing, models run."""

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
from tfcarve.proof import sections

TARGET = "//:tensorflow"
TESTS = ["//proof:tiny_test", "//proof:tiny_arm64_test", "//proof:tolerant_test"]


@dataclass(frozen=True)
class Built:
    """Files of the app's library."""

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
def built(app: Workspace) -> Built:
    groups = "--output_groups=default,parts"
    build = app.build([TARGET, "//control:alwayslink"], [groups])
    files = {f.name: f for g in ("default", "parts") for f in build.files(TARGET, g)}
    return Built(
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


def test_build_proves_the_library(built: Built) -> None:
    _require_proof(built.shared.parent / "proof.json", built.selection)


def test_one_platform_of_a_release_is_proved_alone(app: Workspace) -> None:
    flags = ["--output_groups=linux_arm64", "--norun_validations"]
    found = app.build(["//:release"], flags).files("//:release", "linux_arm64")
    files = {file.name: file for file in found}
    _require_proof(files["proof.json"], files["selection.json"])


def test_table_has_each_registered_kernel(built: Built) -> None:
    """A program of the same objects counts the kernels in TensorFlow's registry."""
    count = subprocess.run([built.counter], check=True, text=True, capture_output=True)
    (image,) = sections.images(built.shared.read_bytes(), "library")
    assert image.sections[sections.TABLE].count(b"kernel\x1f") == int(count.stdout)


def test_removed_unit_is_noticed(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = tmp_path / "libunits.a"
    shutil.copy(built.units, units)
    units.chmod(0o644)
    assert main(["prove", str(units), str(built.selection)]) == 0
    members = subprocess.run(["ar", "t", units], check=True, text=True, capture_output=True)
    (member,) = [m for m in members.stdout.split() if "matmul" in m]
    subprocess.run(["ar", "d", units, member], check=True)
    assert main(["prove", str(units), str(built.selection)]) == 1
    error = capsys.readouterr().err
    assert "of op 'MatMul' is needed but not registered" in error
    assert re.search(r"no unit of tensorflow/core/kernels/matmul\w+\.cc", error)


def test_static_library_is_proved(built: Built) -> None:
    assert main(["prove", str(built.static), str(built.selection)]) == 0


def test_manifest(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "--json", str(built.shared)]) == 0
    manifest = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in manifest["models"]] == ["tiny.pb"]
    assert {"AppScale", "MatMul", "Relu"} <= set(manifest["ops"])


def _test(app: Workspace, targets: list[str]) -> tuple[int, str]:
    done = app.bazel(["test", "--test_output=errors", "--noshow_progress", "--", *targets])
    return done.returncode, done.stdout


def test_model_tests_pass(app: Workspace) -> None:
    status, log = _test(app, TESTS)
    assert status == 0, log


def test_wrong_output_fails_the_test(app: Workspace) -> None:
    status, log = _test(app, ["//proof:wrong_test"])
    assert status == 3, log
    assert (
        "output 'output' differs in 1 of 6 numbers by more than the tolerance, 1e-05 * (1 +" in log
    )
    assert re.search(r"[|]\); element 5 is \S+, not \S+ ", log)


def test_model_outside_of_the_selection_lists_all_that_is_missing(app: Workspace) -> None:
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
