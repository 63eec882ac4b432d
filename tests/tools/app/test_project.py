"""The files of the workspace that `tfcarve build` writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tfcarve.app import folder
from tfcarve.app.project import Preparation, Project, models

_MOBILE = Preparation("mobile")


def _project(*sources: Path, **changes: object) -> Project:
    project = Project(Path("/tf carve"), "2.14", ("linux_x86_64",), models(sources, {}), _MOBILE)
    return replace(project, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a.pb", "b/a.pb", "a.keras"], ["a", "a_2", "a_3"]),
        (["net v2 (final).pb", "é.pb"], ["net_v2_final", "model"]),
        # Names of other targets.
        (["release.pb", "tensorflow.pb", "models.pb"], ["release_2", "tensorflow_2", "models_2"]),
        (["m.v1.tflite"], ["m"]),
    ],
)
def test_targets_are_named_after_the_files(files: list[str], names: list[str]) -> None:
    assert [model.name for model in models([Path(file) for file in files], {})] == names


def test_a_prepared_model() -> None:
    project = _project(Path("net.keras"), platforms=("linux_x86_64", "linux_arm64"))
    build = project.texts()["BUILD"]
    assert 'tf_prepared_model(\n    name = "net",\n    src = "models/net.keras",\n' in build
    assert 'tf_golden_sample(\n    name = "net_golden",\n    model = ":net",\n' in build
    assert 'models = [\n        ":net",\n    ],' in build
    assert '"linux_x86_64",\n        "linux_arm64",\n' in build
    assert 'path = "/tf carve"' in project.texts()["MODULE.bazel"]


def test_options_of_the_preparation() -> None:
    data = Path("samples.npz")
    project = replace(
        _project(),
        models=models([Path("net.pb")], {Path("net.pb"): data}),
        preparation=Preparation("int8", True, "0.02", "", ("x",), ('y"', "z")),
    )
    build = project.texts()["BUILD"]
    for line in (
        *('preset = "int8"', "fuse = True", 'tolerance = "0.02"', 'inputs = ["x"]'),
        *(r'outputs = ["y\"", "z"]', 'sample_inputs = "models/net.npz"'),
        'calibration_data = ["models/net.npz"]',
    ):
        assert f"    {line},\n" in build
    assert project.copies()["models/net.npz"] == data


def test_a_graph_that_stays_as_it_is() -> None:
    project = _project(Path("net.pb"), preparation=Preparation("none"))
    build = project.texts()["BUILD"]
    assert "tf_prepared_model(" not in build and "tf_frozen_model(" not in build
    assert 'model = "models/net.pb"' in build
    keras = _project(Path("net.keras"), preparation=Preparation("none")).texts()["BUILD"]
    assert "tf_frozen_model(" in keras and "tf_prepared_model(" not in keras


def test_a_flex_delegate() -> None:
    project = _project(Path("net.tflite"))
    build = project.texts()["BUILD"]
    assert 'tf_flex_delegate(\n    name = "tensorflow",' in build
    assert "tf_golden_sample(" not in build
    assert "delegate" in project.why_not_run
    assert not project.needs_tensorflow


def test_models_do_not_run_with_custom_ops_or_on_other_systems() -> None:
    custom = _project(Path("net.pb"), custom_ops=(Path("ops/scale.cc"),))
    assert 'custom_ops = ["scale.cc"]' in custom.texts()["BUILD"]
    assert "custom ops" in custom.why_not_run
    assert "this machine" in _project(Path("net.pb"), platforms=("ios_arm64",)).why_not_run
    assert _project(Path("net.pb")).why_not_run == ""


def test_only_the_files_of_the_project_are_in_its_folder(tmp_path: Path) -> None:
    saved, graph = tmp_path / "saved", tmp_path / "net.pb"
    (saved / "variables").mkdir(parents=True)
    (saved / "saved_model.pb").write_bytes(b"graph")
    (saved / "variables/variables.index").write_bytes(b"index")
    graph.write_bytes(b"frozen")
    place = tmp_path / "workspace"
    place.mkdir()
    folder.write(_project(saved), place)
    assert (place / "models/saved/variables/variables.index").read_bytes() == b"index"
    (place / "bazel-bin").mkdir()
    (place / "MODULE.bazel.lock").write_text("{}")
    written = (place / "MODULE.bazel").stat().st_mtime_ns
    folder.write(_project(graph), place)
    files = {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
    assert files == {"BUILD", "MODULE.bazel", "MODULE.bazel.lock", "models/net.pb"}
    assert (place / "bazel-bin").is_dir()
    # Bazel does not read a file again that did not change.
    assert (place / "MODULE.bazel").stat().st_mtime_ns == written


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "out"
    (source / "include").mkdir(parents=True)
    (source / "include/a.h").write_text("new")
    target.mkdir()
    (target / "stale").write_text("old")
    folder.replace(source, target)
    assert [str(f.relative_to(target)) for f in target.rglob("*")] == ["include", "include/a.h"]
    assert not list(tmp_path.glob(".out*"))
