"""tf_op_files.txt is complete: a makefile compiles its sources as a whole, links them, and the app runs."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo import nested
from e2e.builds import app_workspace
from tfcarve.app.workspace import ALL_OUTPUTS, Workspace

_SELECTION = "//:tensorflow_selection"
_LIBRARY = "//:tensorflow"
_MAKEFILE = "tests/e2e/op_files/Makefile"
# A source of the core, which has the compiler flags of all of TensorFlow.
_SAMPLE = "direct_session"
_OF_ONE_FILE = ("-c", "-o", "-MF", "-include")
_FOLDER = ("-I", "-iquote", "-isystem")


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        yield workspace


def _headers(app: Workspace, root: Path) -> list[str]:
    """Returns the compiler flags of the core, without the precompiled header."""
    query = f'mnemonic("CppCompile", outputs(".*/{_SAMPLE}\\..*o", deps({_LIBRARY})))'
    words = iter(app.actions(query)[0]["arguments"][1:])
    flags: list[str] = []
    for flag in words:
        if flag in _OF_ONE_FILE:
            next(words)
        elif flag in _FOLDER:
            flags += [flag, str(root / next(words))]
        elif flag.startswith("-I"):
            flags.append(f"-I{root / flag[2:]}")
        else:
            flags.append(flag)
    return [*flags, "-include", "cstdint", "-include", "limits", "-include", "optional"]


@pytest.fixture(scope="module")
def built(app: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the app and the control, built by make."""
    root = app.execution_root()
    selection = app.build([_SELECTION]).named(_SELECTION)
    library = app.build([_LIBRARY], [ALL_OUTPUTS]).named(_LIBRARY)
    (tree,) = (root.parents[1] / "external").glob("*tfcarve_tensorflow_2_14")
    values = {
        "APP": app.folder,
        "CXX": "g++",
        "HEADERS": shlex.join(_headers(app, root)),
        "LIBRARY": library["libtensorflow-core.a"].parent,
        "SELECTION": selection["tf_op_files.txt"].parent,
        "TREE": tree,
    }
    folder = tmp_path_factory.mktemp("built")
    makefile = nested.source_tree() / _MAKEFILE
    command = ["make", "-j2", "-f", str(makefile), *(f"{n}={v}" for n, v in values.items())]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


def _run(program: Path, app: Workspace) -> subprocess.CompletedProcess[str]:
    command = [str(program), str(app.folder / "tiny.pb")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_app_runs(built: Path, app: Workspace) -> None:
    done = _run(built / "app", app)
    assert done.returncode == 0, done.stderr


def test_without_the_kernels_it_does_not(built: Path, app: Workspace) -> None:
    done = _run(built / "no_kernels", app)
    assert done.returncode != 0
    assert "MatMul" in done.stderr
