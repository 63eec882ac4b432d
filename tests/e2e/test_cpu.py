"""The choice of the instruction set: TFCARVE_CPU, and tfcarve_cpu and tfcarve_set_cpu of the C API."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from built import published
from e2e.sessions import cpu_features
from e2e.sessions.numpy_session import run
from tfcarve.client.call_error import CallError
from tfcarve.client.library import Library

_NAMES = tuple(cpu_features.REQUIRED)
_FED = np.array([[1, 2, 3, 4], [-1, 0, 1, 2]], np.float32)
_EXPECTED = [[0, 30, 60], [36, 42, 48]]


class Built(NamedTuple):
    """Files of the app's library, and its model."""

    files: dict[str, Path]
    model: Path


@pytest.fixture(scope="module")
def built() -> Built:
    found = published.of("app")
    files = found.named("//:tensorflow", "default", "programs")
    return Built(files, found.models / "tiny.pb")


@pytest.fixture(scope="module")
def library(built: Built) -> Library:
    return Library(built.files["libtensorflow-core.so"])


def _run(built: Built, program: str, folder: Path, cpu: str) -> subprocess.CompletedProcess[str]:
    np.save(folder / "in.npy", _FED)
    output = {"run_model": "output=out.npy", "benchmark_model": "output"}[program]
    return subprocess.run(
        [built.files[program], built.model, "--input=input=in.npy", f"--output={output}"],
        cwd=folder,
        env={**os.environ, "TFCARVE_CPU": cpu},
        check=False,
        text=True,
        capture_output=True,
        timeout=600,
    )


@pytest.mark.parametrize("program", ["run_model", "benchmark_model"])
def test_programs_refuse_an_unknown_name(built: Built, program: str, tmp_path: Path) -> None:
    done = _run(built, program, tmp_path, "sse9")
    assert done.returncode == 2, done.stderr
    assert "TFCARVE_CPU is 'sse9'" in done.stderr
    assert ", ".join(_NAMES) in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "out.npy").exists()


@pytest.mark.parametrize("name", ["", *_NAMES])
@pytest.mark.parametrize("program", ["run_model", "benchmark_model"])
def test_programs_accept_what_the_cpu_supports(
    built: Built, program: str, name: str, tmp_path: Path
) -> None:
    done = _run(built, program, tmp_path, name)
    if name in ("", *cpu_features.supported()):
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 2, done.stderr
        assert f"TFCARVE_CPU is {name}" in done.stderr


def test_fastest_is_the_default(library: Library) -> None:
    assert library.set_cpu("")
    assert library.cpu() == cpu_features.supported()[-1]


@pytest.mark.parametrize("name", _NAMES)
def test_c_api_chooses_what_the_cpu_supports(library: Library, built: Built, name: str) -> None:
    assert library.set_cpu("baseline")
    is_supported = name in cpu_features.supported()
    assert library.set_cpu(name) == is_supported
    assert library.cpu() == (name if is_supported else "baseline")
    with library.session_from_file(built.model) as session:
        (output,) = run(session, {"input": _FED}, ["output"])
    assert output.tolist() == _EXPECTED


@pytest.mark.parametrize("name", ["sse9", "AVX2", None])
def test_c_api_refuses_an_unknown_name(library: Library, name: str | None) -> None:
    assert library.set_cpu("baseline")
    assert not library.set_cpu(name)
    assert library.cpu() == "baseline", "the choice has changed"


def test_unknown_name_in_the_environment_is_an_error_of_the_session(
    library: Library, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    # os.environ calls setenv, so the library sees the variable.
    monkeypatch.setenv("TFCARVE_CPU", "sse9")
    with pytest.raises(CallError, match="TFCARVE_CPU is 'sse9'") as failed:
        library.session_from_file(built.model)
    assert failed.value.status == 2
    monkeypatch.delenv("TFCARVE_CPU")
    with library.session_from_file(built.model):
        pass


@pytest.mark.parametrize("name", cpu_features.supported())
def test_environment_chooses(built: Built, name: str) -> None:
    """In a new process, which has not chosen yet."""
    code = (
        "import sys; from tfcarve.client.library import Library\n"
        "print(Library(sys.argv[1]).cpu())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, built.files["libtensorflow-core.so"]],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TFCARVE_CPU": name},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    assert done.stdout == f"{name}\n"
