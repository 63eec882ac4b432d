"""Tests of the program that runs a TensorFlow Lite model for tf_model_test; tests/flex runs it with a carved delegate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lite_models
import numpy as np
import pytest
import tensorflow as tf

from tfcarve.proof.run_lite_model import main

# An external delegate that takes no ops: the fields of TfLiteDelegate are data, four functions and flags.
_IDLE = """
struct Delegate { void* data; int (*prepare)(void*, void*); void* functions[3]; long flags; };
static int prepare(void* context, void* delegate) { return 0; }
static struct Delegate delegate = {0, prepare, {0, 0, 0}, 0};
struct Delegate* tflite_plugin_create_delegate(char** k, char** v, unsigned long n, void (*error)(const char*)) {
  return &delegate;
}
void tflite_plugin_destroy_delegate(struct Delegate* delegate) {}
"""
_REFUSES = """
void* tflite_plugin_create_delegate(char** k, char** v, unsigned long n, void (*error)(const char*)) {
  error("it was built for another planet");
  return 0;
}
void tflite_plugin_destroy_delegate(void* delegate) {}
"""


def _library(source: str, path: Path) -> Path:
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", path],
        input=source,
        check=True,
        text=True,
    )
    return path


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite")
    _library(_IDLE, folder / "idle.so")
    _library(_REFUSES, folder / "refuses.so")
    (folder / "m.tflite").write_bytes(lite_models.with_signatures("plus", "twice"))
    flex = lite_models.without_signatures(tf.math.erf, select=True)
    (folder / "flex.tflite").write_bytes(flex)
    for name, numbers in {
        "x": [1, 2],
        "double": [2, 4],
        "wrong": [2, 4.1],
        "three": [2, 4, 6],
    }.items():
        np.save(folder / f"{name}.npy", np.array(numbers, np.float32))
    np.save(folder / "int.npy", np.array([2, 4]))
    (folder / "damaged.npy").write_bytes(b"no array")
    return folder


def _run(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.chdir(folder)
    return main(["m.tflite", "--signature=twice", "--input=x=x.npy", *words])


def test_the_expected_output(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(folder, monkeypatch, "--delegate=idle.so", "--expect=double=double.npy") == 0


@pytest.mark.parametrize(("number", "status"), [("0.2", 0), ("1e-3", 1)])
def test_tolerance(number: str, status: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--delegate=idle.so", "--expect=double=wrong.npy", f"--tolerance=float32={number}"]
    assert _run(folder, monkeypatch, *words) == status


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        (
            "double=wrong.npy",
            "output 'double' differs in 1 of 2 numbers by more than the tolerance, 1e-05 * (1 + |expected|); "
            "element 1 is 4, not 4.0999999 (expected: wrong.npy)",
        ),
        ("double=three.npy", "output 'double' has shape [2], not [3] (expected: three.npy)"),
        ("double=int.npy", "output 'double' has type float32, not int64 (expected: int.npy)"),
    ],
)
def test_another_output_fails(
    expect: str,
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _run(folder, monkeypatch, "--delegate=idle.so", f"--expect={expect}") == 1
    assert f"run_lite_model: {message}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--expect=doubles=double.npy"], "has no output 'doubles'; did you mean double?"),
        (["--expect=double=damaged.npy"], "damaged.npy: not a .npy file, or damaged"),
        (["--expect=double=none.npy"], "none.npy: cannot be read"),
        (["--expect=double=double.npy", "--input=y=x.npy"], "has no input 'y'"),
        (["--expect=double=double.npy", "--delegate=none.so"], "none.so: no such file"),
        (["--expect=double"], "expected NAME=FILE.npy, not 'double'"),
        (["--expect=double=double.npy", "--tolerance=float32=-1"], "and a number, not"),
        (["--expect=double=double.npy", "--tolerance=int32=1"], "expected float16=, float32="),
        ([], "the following arguments are required: --expect"),
    ],
)
def test_bad_use(
    words: list[str],
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _run(folder, monkeypatch, "--delegate=idle.so", *words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("model", "delegate", "message"),
    [
        ("m.tflite", "refuses.so", "it was built for another planet"),
        ("m.tflite", "x.npy", "x.npy: "),
        ("x.npy", "idle.so", "x.npy: "),
    ],
)
def test_what_the_interpreter_refuses(
    model: str,
    delegate: str,
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    words = [model, f"--delegate={delegate}", "--input=x=x.npy", "--expect=Identity=double.npy"]
    assert main(words) == 1
    assert f"run_lite_model: {model}: " in (error := capsys.readouterr().err)
    assert message in error


def _python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs Python without TensorFlow, whose symbols an interpreter in this process would find."""
    return subprocess.run(
        [sys.executable, *words], check=False, capture_output=True, text=True, cwd=folder
    )


def test_an_op_that_the_delegate_does_not_take(folder: Path) -> None:
    words = ["flex.tflite", "--delegate=idle.so", "--input=x=x.npy", "--expect=Identity=double.npy"]
    done = _python(folder, "-m", "tfcarve.proof.run_lite_model", *words)
    assert done.returncode == 1
    assert "run_lite_model: flex.tflite: " in done.stderr and "(FlexErf) failed" in done.stderr


def test_it_imports_only_what_its_environment_has(folder: Path) -> None:
    """The environment of //tools:run_lite_model has few packages."""
    code = (
        "import sys, tfcarve.proof.run_lite_model\n"
        "print(*{'google', 'jinja2', 'msgspec', 'numpy', 'tensorflow'} & sys.modules.keys())"
    )
    assert _python(folder, "-c", code).stdout.split() == ["numpy"]
