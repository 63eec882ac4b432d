"""An app with a carved library and a Flex delegate: linked statically, and as two shared libraries in one process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from built import published
from e2e.builds import built_libraries
from flex import both_run, flex_app, flex_models, interpreters
from flex.interpreters import FULL, PLAIN

_PUBLIC = ("//:tensorflow", flex_app.ONE_OP)
_PRIVATE = (flex_app.PRIVATE_SESSION, flex_app.PRIVATE_ONE_OP)


def _file(target: str, name: str) -> Path:
    """Returns the output file of a target that has a name."""
    group = "flex" if target.startswith(f"//{flex_app.PACKAGE}:") else "app"
    return published.of(group).named(target)[name]


def _model() -> Path:
    return published.of("app").models / "tiny.pb"


def _linked(targets: tuple[str, ...], output: Path) -> subprocess.CompletedProcess[str]:
    """Links both.cc with all objects of two static libraries, as -force_load does for an xcframework."""
    archives = [str(_file(target, "libtensorflow-core.a")) for target in targets]
    include = _file(_PUBLIC[0], "tfcarve.hpp").parent
    source = built_libraries.APP / flex_app.PACKAGE / "both.cc"
    command = ["g++", "-std=c++17", f"-I{include}", str(source), "-Wl,--gc-sections"]
    forced = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive"]
    system = ["-pthread", "-ldl", "-lm", "-o", str(output)]
    return subprocess.run([*command, *forced, *system], check=False, text=True, capture_output=True)


def test_static_libraries_with_private_symbols(tmp_path: Path) -> None:
    done = _linked(_PRIVATE, tmp_path / "both")
    assert done.returncode == 0, done.stderr[-2000:]
    ran = subprocess.run([tmp_path / "both", _model()], check=False, text=True, capture_output=True)
    assert ran.returncode == 0, ran.stderr


def test_static_libraries_with_public_symbols_clash(tmp_path: Path) -> None:
    """The control: the linker refuses them."""
    done = _linked(_PUBLIC, tmp_path / "both")
    assert done.returncode == 1
    assert "multiple definition of `tfcarve_manifest'" in done.stderr


def _with_modules(arguments: Sequence[str | Path]) -> list[str]:
    """The command of this test's Python, with its modules."""
    return ["env", f"PYTHONPATH={os.pathsep.join(sys.path)}", *interpreters.own_python(arguments)]


@pytest.mark.parametrize("order", both_run.ORDERS)
@pytest.mark.parametrize("package", PLAIN)
def test_shared_libraries_in_one_process(package: str, order: str, tmp_path: Path) -> None:
    """Each runs its model, and the library's functions are its own, in whatever order they are loaded."""
    delegate = _file(flex_app.ONE_OP, flex_app.LIBRARY)
    library = _file(_PUBLIC[0], "libtensorflow-core.so")
    lite = published.of("flex").models / "one_op.tflite"
    inputs = flex_models.inputs("one_op")
    expected = interpreters.run(FULL, "-", lite, inputs, tmp_path)
    given, found = tmp_path / "inputs.npz", tmp_path / "outputs.npz"
    interpreters.save(given, inputs)
    program = Path(both_run.__file__)
    graph = _model()
    words: list[str | Path] = [
        program,
        package,
        order,
        library,
        graph,
        delegate,
        lite,
        given,
        found,
    ]
    done = interpreters.python(words, tmp_path, _with_modules)
    assert done.returncode == 0, done.stderr
    outputs = interpreters.load(found)
    assert interpreters.equal(outputs["0"], expected["0"])
    assert outputs["session"].tolist() == [[0, 30, 60], [36, 42, 48]]
    assert outputs["ops"].tolist() == ["AppScale"]
