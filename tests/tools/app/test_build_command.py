"""`tfcarve build`: its messages, the plan and the workspace that it writes. tests/e2e builds libraries with it."""

from __future__ import annotations

import re
from pathlib import Path

import flat
import protos
import pytest
from protos import node

from tfcarve.app import build, project
from tfcarve.cli import main
from tfcarve.commands.build import PLATFORMS, PRESETS
from tfcarve.errors import InvalidInput
from tfcarve.module_root import module_root

_GRAPH = protos.graph(node("n", "NoOp"))


@pytest.fixture(name="model")
def _model(tmp_path: Path) -> Path:
    file = tmp_path / "net.pb"
    file.write_bytes(_GRAPH)
    return file


def test_platforms_and_presets_are_those_of_the_rules() -> None:
    table = (module_root() / "rules/platforms/table.bzl").read_text(encoding="utf-8")
    assert sorted(PLATFORMS) == re.findall(r'^    "(\w+)": _(?:linux|android|ios)\(', table, re.M)
    rule = (module_root() / "rules/private/models/prepared_model.bzl").read_text(encoding="utf-8")
    (listed,) = re.findall(r"^PRESETS = \[(.*)\]$", rule, re.M)
    assert sorted(PRESETS) == sorted([*re.findall(r'"(\w+)"', listed), project.NO_PRESET])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gone.pb"], "gone.pb: no such file or folder"),
        (["{model}", "--platform=amiga"], "--platform amiga: unknown; the platforms are: android_"),
        (
            ["{model}", "{lite}"],
            "TensorFlow Lite models need a Flex delegate, other models a library",
        ),
        (["{model}", "--tolerance=-1"], "argument --tolerance: invalid"),
        (["{model}", "--preset=int8"], "--preset int8 changes outputs: pass --tolerance"),
        (
            ["{model}", "--custom-op={model}", "--preset=mobile"],
            "does not have the ops of --custom-op",
        ),
        (["{model}", "{other}", "--data=x.npz"], "there are several models: pass MODEL=FILE.npz"),
        (["{model}", "--data=a.pb=x.npz"], "'a.pb' is none of the models"),
        (["{model}", "--data=x.npz"], "x.npz: no such file"),
        (["{model}"], "pass -o DIR, the folder for the libraries"),
        (["{folder}/text.pb", "-o=out"], "text.pb: "),
        (["{folder}/ops.json", "-o=out"], "ops.json: "),
        (["{folder}/net.onnx", "-o=out"], "net.onnx: "),
        (["{folder}", "-o=out"], "saved_model.pb"),
        (["{model}", "--custom-op=gone.cc"], "gone.cc: no such file"),
        (
            ["{model}", "--custom-op={model}", "--custom-op={model}"],
            "two files have the same name",
        ),
        (["{model}", "--eject={model}"], "net.pb: is no folder"),
    ],
)
def test_invalid_arguments(
    words: list[str], message: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lite, other = model.with_suffix(".tflite"), model.with_name("other.pb")
    other.write_bytes(_GRAPH)
    lite.write_bytes(flat.model([], []))
    model.with_name("text.pb").write_text("no graph")
    model.with_name("ops.json").write_text("[]")
    model.with_name("net.onnx").write_bytes(b"\x08\x07")
    places = {"model": model, "lite": lite, "other": other, "folder": model.parent}
    assert main(["build", *(word.format(**places) for word in words)]) == 2
    assert message in capsys.readouterr().err


def test_a_dry_run_prints_what_a_build_does(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(model), "--dry-run", "--platform=linux_arm64", "--fuse"]) == 0
    printed = capsys.readouterr()
    assert 'tf_prepared_model(\n    name = "net",' in printed.out
    assert "    fuse = True,\n" in printed.out
    assert "downloads, unless" in printed.err
    assert "the library for linux_arm64" in printed.err


def test_the_workspace_is_written(model: Path, tmp_path: Path) -> None:
    place = tmp_path / "workspace"
    assert main(["build", str(model), f"--eject={place}"]) == 0
    assert (place / "models/net.pb").read_bytes() == _GRAPH
    assert "tf_multi_platform_library(" in (place / "BUILD").read_text(encoding="utf-8")
    assert main(["build", str(model), f"--eject={place}"]) == 2  # it is not empty


def test_other_folders_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "linux_arm64").mkdir()
    (tmp_path / "linux_arm64/own").touch()
    one = project.Project(
        tmp_path, "2.14", ("linux_arm64",), (), project.Preparation(project.NO_PRESET)
    )
    with pytest.raises(InvalidInput, match=r"linux_arm64: is no folder of an earlier"):
        build.require_own(one, tmp_path)
    (tmp_path / "linux_arm64/selection.json").touch()
    build.require_own(one, tmp_path)
