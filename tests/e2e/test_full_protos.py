"""`protos = "full"`: a C++ app can use descriptors and the text format of TensorFlow's messages."""

from __future__ import annotations

import subprocess
from pathlib import Path

from demo import nested
from e2e.builds import app_workspace, built_libraries
from e2e.builds.built_libraries import Release

_FULL = "//options:full_protos_release"
_PLATFORM = "linux_x86_64"


def _build(release: Release, folder: Path) -> subprocess.CompletedProcess[str]:
    source = nested.source_tree() / "tests/e2e/full_protos"
    package = f"-DTensorFlowCore_DIR={release.library}"
    built_libraries.checked(["cmake", "-S", str(source), "-B", str(folder), package])
    command = ["cmake", "--build", str(folder)]
    return subprocess.run(command, check=False, text=True, capture_output=True)


def test_full_protos(tmp_path: Path) -> None:
    with app_workspace.opened() as workspace:
        full = built_libraries.built(workspace, _PLATFORM, _FULL)
        lite = built_libraries.built(workspace, _PLATFORM)
        done = _build(full, tmp_path / "full")
        assert done.returncode == 0, done.stdout + done.stderr
        program = tmp_path / "full" / "text_graph"
        assert full.run_model(program).split() == ["tensorflow.GraphDef", "0", "30", "60"]

        refused = _build(lite, tmp_path / "lite")
        assert refused.returncode != 0
        assert "PrintToString" in refused.stderr
        sizes = [(r.library / "libtensorflow-core.so").stat().st_size for r in (lite, full)]
    assert sizes[0] < sizes[1]
