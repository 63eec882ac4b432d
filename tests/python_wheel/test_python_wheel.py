"""Wheels of `tfcarve wheel`: pip installs them, and their models compute what the library computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bootstrap.wheels import base_python
from built import published
from demo import arm_python
from flex import flex_app, flex_models, interpreters
from tfcarve.benchmark import emulated
from tfcarve.cli import main

_FOLDER = Path(os.environ.get("RUNFILES_DIR", "")) / "_main/tests/python_wheel"
_PROGRAM, _DELEGATE = _FOLDER / "run_wheel.py", _FOLDER / "run_delegate.py"
_LIBRARY = "libtensorflow-core.so"
_NAME = "carved_models"
_MODELS = ("loop", "pass", "product", "text")


def _wheel(library: Path, models: Sequence[Path], folder: Path, name: str = _NAME) -> Path:
    words = [f"--model={model}" for model in models]
    assert main(["wheel", str(library), *words, f"--name={name}", f"-o={folder}"]) == 0
    (found,) = folder.glob("*.whl")
    return found


def _installed(wheel: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Installs a wheel with pip, without what it depends on."""
    words = ["install", "-q", "--no-index", "--no-deps", f"--target={folder}", *options, str(wheel)]
    return subprocess.run(
        [base_python(), "-m", "pip", *words], check=False, capture_output=True, text=True
    )


def _run(command: Sequence[str | Path]) -> Any:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _release(platform: str) -> Path:
    return published.of("app").named("//:release", platform)[_LIBRARY]


@pytest.fixture(name="tiny", scope="module")
def _tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the app's model computes on this machine."""
    folder = tmp_path_factory.mktemp("tiny")
    wheel = _wheel(_release("linux_x86_64"), [published.of("app").models / "tiny.pb"], folder)
    assert _installed(wheel, folder / "installed").returncode == 0
    found: dict[str, Any] = _run([sys.executable, _PROGRAM, folder / "installed", "tiny"])
    return found


@pytest.fixture(name="found", scope="module")
def _found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("shared")
    built = published.of("shared")
    models = [built.models / f"c_api/{name}.pb" for name in _MODELS]
    wheel = _wheel(built.named("//shared:library")[_LIBRARY], models, folder)
    done = _installed(wheel, folder / "installed")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = _run([sys.executable, _PROGRAM, folder / "installed", "shared"])
    return found


def test_licenses(tiny: dict[str, Any]) -> None:
    assert {"abseil", "tensorflow", "tfcarve"} <= set(tiny["licenses"])
    assert tiny["sbom"] == "SPDX-2.3"


def test_outputs(found: dict[str, Any]) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = (x @ np.arange(6, dtype=np.float32).reshape(3, 2)).tolist()
    assert found["y"] == found["transposed"] == y
    assert found["numbers"] == y[:1]
    assert found["declared"] == ["top", "top:1"]
    assert found["top"] == {"top": [[max(row)] for row in y], "top:1": [[1], [1]]}
    assert found["empty"] == [0, 2]
    assert found["threads"] == [y] * 8


def test_strings(found: dict[str, Any]) -> None:
    assert found["joined"] == ["a!", "!", "é\0b!"]
    assert found["bytes"] == "xy!"


def test_errors(found: dict[str, Any]) -> None:
    errors = found["errors"]
    assert errors["shape"]["kind"] == "ModelError" and errors["shape"]["node"] == "y"
    assert errors["type"]["kind"] == "TypeError" and "datetime64" in errors["type"]["text"]
    assert "z" in errors["name"]["text"]
    assert "gone" in errors["missing"]["text"]
    assert errors["deadline"]["kind"] == "ModelError"


def test_memory(found: dict[str, Any]) -> None:
    assert found["is_kept"]
    # Each of 2,000 runs has 256 KB of inputs and of outputs.
    assert found["grown_kilobytes"] < 2000


def test_arm64(tiny: dict[str, Any], tmp_path: Path) -> None:
    wheel = _wheel(_release("linux_arm64"), [published.of("app").models / "tiny.pb"], tmp_path)
    # The control: pip refuses it on this machine.
    refused = _installed(wheel, tmp_path / "refused")
    assert refused.returncode != 0 and "is not a supported wheel on this platform" in refused.stderr
    platform = wheel.stem.rpartition("-")[2]
    options = (f"--platform={platform}", "--only-binary=:all:", "--python-version=311")
    done = _installed(wheel, tmp_path / "installed", *options)
    assert done.returncode == 0, done.stderr
    qemu = arm_python.without_root(emulated.emulator("aarch64"))
    python = arm_python.unpacked("linux_arm64")
    found = _run(python.command(qemu, [_PROGRAM, tmp_path / "installed", "tiny"]))
    assert found == tiny


def test_a_delegate(tmp_path: Path) -> None:
    built = published.of("flex")
    library = built.named(flex_app.ONE_OP)[flex_app.LIBRARY]
    wheel = _wheel(library, [], tmp_path, "carved_flex")
    done = _installed(wheel, tmp_path / "installed")
    assert done.returncode == 0, done.stderr
    model, x = built.models / "one_op.tflite", flex_models.one_input("one_op")
    np.save(tmp_path / "x.npy", x)
    found = _run([sys.executable, _DELEGATE, tmp_path / "installed", model, tmp_path / "x.npy"])
    (expected,) = interpreters.run_all(
        interpreters.FULL, [interpreters.Run("-", model, flex_models.inputs("one_op"))], tmp_path
    )
    (wanted,) = expected.values()
    np.testing.assert_allclose(found, wanted, rtol=interpreters.TOLERANCE)
