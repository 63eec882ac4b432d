"""`tfcarve build`: from a model to libraries, and the models' outputs in them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import extent
from tfcarve import json_codec
from tfcarve.app import check
from tfcarve.app.check import Programs, Shipped
from tfcarve.errors import CheckFailed
from tfcarve.proof import golden_index

_PLATFORMS = extent.some(["linux_x86_64", "linux_arm64", "linux_armv7"], "linux_x86_64")


def _write_model(path: Path) -> None:
    """A dense layer; its Identity is removed when the model is prepared."""
    weights = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4], name="x")
        hidden = tf.identity(tf.matmul(x, weights, name="hidden"))
        tf.nn.relu(hidden, name="y")
    path.write_bytes(graph.as_graph_def().SerializeToString(deterministic=True))


@pytest.fixture(name="output", scope="module")
def _output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    _write_model(folder / "net.pb")
    np.savez(folder / "samples.npz", x=np.array([[1, 2, 3, 4]], np.float32))
    options = [f"--data={folder / 'samples.npz'}", f"--platform={','.join(_PLATFORMS)}"]
    done = subprocess.run(
        [sys.executable, "-m", "tfcarve", "build", "net.pb", "-o", "out", *options],
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    return folder / "out"


def test_the_report(output: Path) -> None:
    printed = (output.parent / "printed.txt").read_text()
    for platform in _PLATFORMS:
        library = output / platform / "libtensorflow-core.so"
        row = re.search(rf"^{platform} +(\S+) +([\d,]+) +net +(\S+) +(\S+)$", printed, re.M)
        assert row, printed
        assert row[1] == f"out/{platform}/{library.name}"
        assert int(row[2].replace(",", "")) == library.stat().st_size < 700_000
        assert float(row[3]) <= 1e-5
        # An emulator's time says nothing about a device.
        assert (row[4] == "-") == (platform != "linux_x86_64")
    assert "-ltensorflow-core" in printed


def test_the_model_is_prepared(output: Path) -> None:
    graph = tf.compat.v1.GraphDef.FromString((output / "models/net.pb").read_bytes())
    assert sorted(node.op for node in graph.node) == ["Const", "MatMul", "Placeholder", "Relu"]


@pytest.mark.parametrize("platform", _PLATFORMS)
def test_the_library_is_complete(output: Path, platform: str) -> None:
    names = {file.name for file in (output / platform).iterdir()}
    assert {"include", "libtensorflow-core.a", "link_flags.txt", "proof.json", "programs"} <= names


_APP = """
#include "tfcarve_c_api.h"
int main() { return tfcarve_kernel_count() == 0; }
"""


def test_the_printed_flags_link_an_app(output: Path, tmp_path: Path) -> None:
    folder = output.parent
    printed = (folder / "printed.txt").read_text()
    (folder / "app.cc").write_text(_APP)
    found = re.search(r"to link it: (c\+\+ .*?); for a static library the flags of (\S+);", printed)
    assert found, printed
    shared, static = tmp_path / "shared", tmp_path / "static"
    command = [*found[1].split(), "-o", str(shared)]
    subprocess.run(command, cwd=folder, check=True)
    library = {"LD_LIBRARY_PATH": str(folder / "out/linux_x86_64")}
    assert subprocess.run([shared], check=False, env=library).returncode == 0
    words = [word for word in found[1].split() if word != "-ltensorflow-core"]
    subprocess.run([*words, f"@{found[2]}", "-o", str(static)], cwd=folder, check=True)
    assert subprocess.run([static], check=False, env={}).returncode == 0


def test_a_wrong_output_is_found(output: Path, tmp_path: Path) -> None:
    programs = output / "linux_x86_64/programs"
    run_model, benchmark = programs / "run_model", programs / "benchmark_model"
    sample = tmp_path / "sample"
    sample.mkdir()
    np.save(sample / "input0.npy", np.array([[1, 2, 3, 4]], np.float32))
    shutil.copy(output / "models/net.pb", tmp_path)
    entries = (golden_index.Entry("x", "input0.npy"),), (golden_index.Entry("y", "output0.npy"),)
    index = golden_index.GoldenSample(*entries)
    (sample / golden_index.INDEX).write_bytes(json_codec.encode(index))
    model = Shipped("net", tmp_path / "net.pb", sample)
    weights = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    right = np.maximum(np.array([[1, 2, 3, 4]], np.float32) @ weights, 0)
    np.save(sample / "output0.npy", right)
    found = check.check(model, Programs("linux_x86_64", run_model, benchmark))
    assert found.difference <= 1e-5 and found.milliseconds
    np.save(sample / "output0.npy", right + 1)
    with pytest.raises(CheckFailed, match="output 'y'"):
        check.check(model, Programs("linux_x86_64", run_model, benchmark))
    found = check.check(model, Programs("linux_x86_64", run_model, benchmark), tolerance=1.0)
    assert 0.01 < found.difference <= 1


def test_a_build_that_fails(tmp_path: Path) -> None:
    """TensorFlow cannot run the model on random values."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.string, [None], name="x")
        tf.raw_ops.Reshape(tensor=x, shape=[3], name="y")
    (tmp_path / "net.pb").write_bytes(graph.as_graph_def().SerializeToString())
    words = [sys.executable, "-m", "tfcarve", "build", "net.pb", "-o", "out"]
    done = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the build failed" in done.stderr and "net" in done.stderr
    assert not (tmp_path / "out").exists()
