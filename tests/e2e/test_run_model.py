"""run_model with the app's library: its output, and its errors for invalid input."""

from __future__ import annotations

import io
import json
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

from built import published
from tfcarve import cli

_REBUILD = b"TensorFlow with the appropriate compiler flags"
FED = np.array([[1, 2, 3, 4], [-1, 0, 1, 2]], np.float32)


class Runner(NamedTuple):
    """The program, the app's model and a folder with an input for it."""

    program: Path
    model: Path
    folder: Path

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs it in the folder."""
        return subprocess.run(
            [self.program, *arguments],
            cwd=self.folder,
            check=False,
            text=True,
            capture_output=True,
            timeout=60,
        )


@pytest.fixture(scope="module")
def program() -> tuple[Path, Path]:
    found = published.of("app")
    return found.named("//:tensorflow", "programs")["run_model"], found.models / "tiny.pb"


@pytest.fixture
def run_model(program: tuple[Path, Path], tmp_path: Path) -> Runner:
    np.save(tmp_path / "in.npy", FED)
    np.save(tmp_path / "negative.npy", -FED)
    np.save(tmp_path / "double.npy", FED.astype(np.float64))
    np.save(tmp_path / "flat.npy", FED.ravel())
    np.save(tmp_path / "text.npy", np.array(["a"]))
    np.save(tmp_path / "day.npy", np.array(["2026-01-01"], "datetime64[D]"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "words").write_text("these are words and no model")
    return Runner(*program, tmp_path)


def test_runs_a_model_without_messages(run_model: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Full TensorFlow logs that it should be rebuilt for this CPU."""
    # All of TensorFlow's messages: an import of full TensorFlow in this process may have set the variable.
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "0")
    model = str(run_model.model)
    done = run_model(model, "--input=input=in.npy", "--output", "output=out.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert np.load(run_model.folder / "out.npy").tolist() == [[0, 30, 60], [36, 42, 48]]
    assert _REBUILD not in run_model.program.read_bytes()
    # The control: full TensorFlow has the message. test_c_api has one for messages that are logged.
    full = Path(tf.sysconfig.get_lib(), "libtensorflow_framework.so.2")
    assert _REBUILD in full.read_bytes()


def test_the_command_line_that_inspect_prints(
    run_model: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(run_model.folder)
    assert cli.main(["inspect", str(run_model.model), "--json"]) == 0
    (program, *words), *_ = json.loads(capsys.readouterr().out)["commands"]
    assert program == "run_model"
    Path("in.npy").rename("input.npy")
    assert run_model(*words).returncode == 0
    assert np.load("output.npy").tolist() == [[0, 30, 60], [36, 42, 48]]


def test_nodes_of_another_device_run_on_the_cpu(run_model: Runner) -> None:
    graph = tf.compat.v1.GraphDef.FromString(run_model.model.read_bytes())
    for node in graph.node:
        node.device = "/job:localhost/replica:0/task:0/device:GPU:0"
    placed = run_model.folder / "placed.pb"
    placed.write_bytes(graph.SerializeToString())
    done = run_model(str(placed), "--input=input=in.npy", "--output", "output=out.npy")
    assert done.returncode == 0, done.stderr
    assert np.load(run_model.folder / "out.npy").tolist() == [[0, 30, 60], [36, 42, 48]]


def test_any_node_can_be_an_output_and_the_time_is_printed(run_model: Runner) -> None:
    outputs = ["--output=dense=dense.npy", "--output=relu:0=relu.npy"]
    done = run_model(str(run_model.model), "--input=input=negative.npy", *outputs, "--time")
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0
    dense = np.load(run_model.folder / "dense.npy")
    assert dense.min() < 0
    assert np.load(run_model.folder / "relu.npy").tolist() == np.maximum(dense, 0).tolist()


@pytest.mark.parametrize("path", ["-", "/dev/fd/1"])
def test_output_on_standard_output_does_not_mix_with_text(run_model: Runner, path: str) -> None:
    model, output = str(run_model.model), f"--output=output={path}"
    words = [run_model.program, model, "--input=input=in.npy", output, "--time"]
    done = subprocess.run(words, cwd=run_model.folder, check=True, capture_output=True, timeout=60)
    stream = io.BytesIO(done.stdout)
    assert np.load(stream).tolist() == [[0, 30, 60], [36, 42, 48]]
    assert stream.read() == b""
    assert float(done.stderr) > 0


def test_help(run_model: Runner) -> None:
    done = run_model("--help")
    assert done.returncode == 0
    assert "--output NAME=FILE.npy" in done.stdout


OUT = "--output=output=out.npy"
IN = "--input=input=in.npy"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "no model given"),
        (["MODEL"], 2, "no --output or --expect given"),
        (["MODEL", OUT, "MODEL"], 2, "more than one model: "),
        (["MODEL", OUT, "--verbose"], 2, "unknown option '--verbose'"),
        (["MODEL", "--output"], 2, "--output takes NAME=FILE.npy, not ''"),
        (["MODEL", "--output", "out.npy"], 2, "--output takes NAME=FILE.npy, not 'out.npy'"),
        (
            ["MODEL", OUT, "--threads=many"],
            2,
            "--threads takes a number from 0 to 1024, not 'many'",
        ),
        (["MODEL", OUT, "--threads", "-1"], 2, "--threads takes a number from 0 to 1024, not '-1'"),
        (["MODEL", OUT, "--threads=1025"], 2, "from 0 to 1024, not '1025'"),
        (["missing.pb", OUT], 2, "missing.pb: can't be read: No such file or directory"),
        (["folder", OUT], 2, "folder: can't be read: it is a directory"),
        (["empty", OUT], 2, "empty: can't be read: it is empty"),
        (["words", OUT], 2, "words: the graph is not a serialized GraphDef"),
        (["MODEL", "--input=input=missing.npy", OUT], 2, "can't read missing.npy"),
        (["MODEL", "--input=input=words", OUT], 2, "words: not a .npy file"),
        (["MODEL", "--input=input=text.npy", OUT], 1, "arg[0] to be float but string is provided"),
        (["MODEL", "--input=input=day.npy", OUT], 2, "elements of type '<M8[D]' are not supported"),
        (["MODEL", IN, "--output=output=folder/none/out.npy"], 2, "can't write folder/none/out"),
        (["MODEL", OUT], 1, "You must feed a value for placeholder tensor 'input'"),
        (["MODEL", "--input=other=in.npy", OUT], 1, "other:0"),
        (["MODEL", IN, "--output=other=out.npy"], 1, "other:0"),
        (["MODEL", "--input=input=double.npy", OUT], 1, "double"),
        (["MODEL", "--input=input=flat.npy", OUT], 1, "dense"),
    ],
)
def test_invalid_input(
    run_model: Runner, arguments: Sequence[str], status: int, message: str
) -> None:
    words = [str(run_model.model) if word == "MODEL" else word for word in arguments]
    done = run_model(*words)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert done.stdout == ""
    assert not list(run_model.folder.rglob("out.npy*")), "there is an output, complete or partial"


def test_truncated_model_is_refused_or_valid(run_model: Runner) -> None:
    whole = run_model.model.read_bytes()
    cut = run_model.folder / "cut.pb"
    for size in random.Random(3).sample(range(1, len(whole)), 40):
        cut.write_bytes(whole[:size])
        done = run_model("cut.pb", IN, OUT)
        if done.returncode == 0:  # truncated before optional fields
            assert np.load(run_model.folder / "out.npy").tolist() == [[0, 30, 60], [36, 42, 48]]
        else:
            assert done.returncode in (1, 2), (size, done.stderr)
            assert done.stderr.startswith("run_model: cut.pb: ")


def test_changed_bytes_do_not_crash_it(run_model: Runner) -> None:
    whole = run_model.model.read_bytes()
    changed = run_model.folder / "changed.pb"
    chance = random.Random(5)
    for _ in range(100):
        broken = bytearray(whole)
        broken[chance.randrange(len(broken))] = chance.randrange(256)
        changed.write_bytes(broken)
        done = run_model("changed.pb", IN, "--output=output=any.npy")
        assert done.returncode in (0, 1, 2), (bytes(broken), done.stderr)
