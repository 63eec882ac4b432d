"""Proofs of the app's library: the table has TensorFlow's registrations, nothing is missing, models run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from built import published
from tfcarve.cli import main
from tfcarve.proof import sections

TARGET = "//:tensorflow"


@dataclass(frozen=True)
class Built:
    """Files of the app's library."""

    shared: Path
    static: Path
    selection: Path
    units: Path
    counter: Path


@pytest.fixture(scope="module")
def built() -> Built:
    found = published.of("app")
    files = found.named(TARGET, "default", "parts")
    (counter,) = found.files("//control:alwayslink")
    return Built(
        files["libtensorflow-core.so"],
        files["libtensorflow-core.a"],
        files["selection.json"],
        files["libunits.a"],
        counter,
    )


def _members(archive: Path) -> list[str]:
    listed = subprocess.run(["ar", "t", archive], check=True, text=True, capture_output=True)
    return listed.stdout.split()


def _require_proof(proof_json: Path, selection: Path) -> None:
    (proof,) = json.loads(proof_json.read_bytes())
    assert proof["problems"] == []
    selected = json.loads(selection.read_bytes())
    assert proof["registered"] == len(selected["ops"]) + len(selected["kernels"])


@pytest.mark.parametrize("platform", ["linux_arm64", "linux_x86_64"])
def test_platforms_of_a_release_are_proved(platform: str) -> None:
    files = published.of("app").named("//:release", platform)
    _require_proof(files["proof.json"], files["selection.json"])


def test_table_has_each_registered_kernel(built: Built) -> None:
    """A program of the same objects counts the kernels in TensorFlow's registry."""
    count = subprocess.run([built.counter], check=True, text=True, capture_output=True)
    (image,) = sections.images(built.shared.read_bytes(), "library")
    assert image.sections[sections.TABLE].count(b"kernel\x1f") == int(count.stdout)


def _undefined(archive: Path, member: str, folder: Path) -> str:
    """Returns the symbols that a member of an archive refers to and does not define."""
    unpacked = folder / member
    with unpacked.open("wb") as file:
        subprocess.run(["ar", "p", archive, member], check=True, stdout=file)
    return subprocess.run(
        ["nm", "-uC", unpacked], check=True, text=True, capture_output=True
    ).stdout


def test_a_custom_op_has_no_shape_function_in_a_plan(built: Built, tmp_path: Path) -> None:
    """The op's definition names one."""
    unit, function = "__app_scale.pic.o", "shape_inference::UnchangedShape"
    assert function not in _undefined(built.units, unit, tmp_path)
    # The control: a Flex delegate calls it.
    delegate = published.of("flex").named("//flex:custom_op")["libtensorflow-core.a"]
    assert function in _undefined(delegate, unit, tmp_path)


def test_removed_unit_is_noticed(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    units = tmp_path / "libunits.a"
    shutil.copy(built.units, units)
    units.chmod(0o644)
    assert main(["prove", str(units), str(built.selection)]) == 0
    (member,) = [m for m in _members(units) if "matmul" in m]
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
    assert manifest["runtime"] == "plan"
    assert {"AppScale", "MatMul", "Relu"} <= set(manifest["ops"])
