"""Tests with TensorFlow libraries that Bazel builds: attribution, marginal sizes, and an exceeded budget."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tensorflow.core.framework import graph_pb2, types_pb2

from e2e.builds import app_workspace
from tfcarve import cli
from tfcarve.app.workspace import ALL_OUTPUTS, Workspace
from tfcarve.releases import known
from tfcarve.selection.selection import parse as parse_selection
from tfcarve.size import link_line
from tfcarve.size import report as reports
from tfcarve.size.origin import LINKER
from tfcarve.size.relink import Relinker
from tfcarve.size.removal import Target
from tfcarve.size.report import Report

TARGET = "//inception:inception"
PLANTED = "//size:size"
# The rest are names of symbols, relocations and headers.
_ATTRIBUTED = 0.95
# The same sections in another order have another alignment.
_ALIGNMENT = 256


@pytest.fixture(scope="module")
def app() -> Iterator[Workspace]:
    with app_workspace.opened() as workspace:
        app_workspace.use_models(workspace, [app_workspace.model("inception_v3")])
        yield workspace


@pytest.fixture(scope="module")
def files(app: Workspace) -> dict[str, Path]:
    """The outputs of Inception's library for the host, by file name."""
    build = app.build([TARGET], ["--output_groups=default,sizes", ALL_OUTPUTS])
    return build.named(TARGET, "default", "sizes")


@pytest.fixture(scope="module")
def report(files: dict[str, Path]) -> Report:
    return reports.parse(files["sizes.json"].read_bytes(), "sizes.json")


@pytest.fixture(scope="module")
def relinker(files: dict[str, Path]) -> Relinker:
    selection = parse_selection(files["selection.json"].read_bytes(), "selection.json")
    return Relinker(
        link_line.load(files["link.json"], None), selection, known.release(), recompile=False
    )


def test_attribution_sums_to_the_file(files: dict[str, Path], report: Report) -> None:
    size = files["libtensorflow-core.so"].stat().st_size
    assert sum(e.bytes for e in report.entries) == report.sizes["stripped"] == size
    rest = {e.file: e.bytes for e in report.entries if e.part == LINKER}
    assert report.attributed >= _ATTRIBUTED * size, rest


def test_link_json_makes_the_same_library(report: Report, relinker: Relinker) -> None:
    for measure, size in report.sizes.items():
        # Moved bytes compress slightly differently.
        near = (
            pytest.approx(size, rel=1e-3)
            if measure == "gzip"
            else pytest.approx(size, abs=_ALIGNMENT)
        )
        assert relinker.whole[measure] == near, measure


def test_marginal_sizes_agree_with_bazels_own_link(
    app: Workspace, files: dict[str, Path], relinker: Relinker, tmp_path: Path
) -> None:
    """For ten ops: ar deletes their units, and the command of Bazel's action links the rest."""
    selection = parse_selection(files["selection.json"].read_bytes(), "selection.json")
    link = link_line.load(files["link.json"], None)
    command = _bazels_link(app)
    whole = _linked(command, link, Path(link.link.source), tmp_path)
    sources = {k.file for k in selection.kernels}
    ops = sorted({k.op for k in selection.kernels})
    checked = 0
    for op in ops:
        marginal = relinker.marginal_size(Target("op", op))
        if marginal.dropped and set(marginal.dropped) <= sources:
            archive = tmp_path / "libunits.a"
            archive.write_bytes((link.root / link.link.source).read_bytes())
            members = [
                f"{source.replace('/', '__').rpartition('.')[0]}.pic.o"
                for source in marginal.dropped
            ]
            subprocess.run(["ar", "d", archive, *members], check=True)
            saved = whole - _linked(command, link, archive, tmp_path)
            assert marginal.saved["stripped"] == pytest.approx(saved, abs=_ALIGNMENT), op
            checked += 1
    assert checked >= 10


def _bazels_link(app: Workspace) -> list[str]:
    """The command of the action that links the library."""
    query = f'mnemonic("CppLink", outputs(".*/unstripped/.*", {TARGET}))'
    (action,) = app.actions(query)
    argv: list[str] = action["arguments"]
    return argv


def _linked(command: Sequence[str], link: link_line.LinkLine, units: Path, folder: Path) -> int:
    """The stripped size of the library with other units, linked by a command of Bazel."""
    library, stripped = folder / "library.so", folder / "stripped.so"
    output = command.index("-o") + 1
    argv = [
        str(library) if number == output else str(units) if word == link.link.source else word
        for number, word in enumerate(command)
        if not word.startswith("-Wl,-Map=")
    ]
    assert str(units) in argv
    subprocess.run(argv, cwd=link.root, check=True)
    strip = ["strip", "--strip-all", "-o", str(stripped), str(library)]
    subprocess.run(strip, check=True)
    return stripped.stat().st_size


def test_removed_model_saves_what_only_it_needs(relinker: Relinker) -> None:
    (model,) = {n.model for k in relinker.selection.kernels for n in k.needed_by}
    marginal = relinker.marginal_size(Target("model", model))
    assert marginal.saved["stripped"] > 150_000, "all of its kernels"


def _graph(dtype: int) -> bytes:
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 1395
    graph.node.add(name="input", op="Placeholder").attr["dtype"].type = dtype
    relu = graph.node.add(name="relu", op="Relu", input=["input"])
    relu.attr["T"].type = dtype
    return graph.SerializeToString()


def test_added_data_type_exceeds_the_budget_and_is_named(app: Workspace, tmp_path: Path) -> None:
    models = {"float.pb": types_pb2.DT_FLOAT, "double.pb": types_pb2.DT_DOUBLE}
    for name, dtype in models.items():
        (tmp_path / name).write_bytes(_graph(dtype))
    app.place("size", {"float.pb": tmp_path / "float.pb"}, "*.pb")
    (app.folder / "size" / "sizes.json").unlink(missing_ok=True)
    updated = app.bazel(["run", "--noshow_progress", f"{PLANTED}.update"])
    assert updated.returncode == 0, updated.stdout
    assert re.search(r"^Size: linux_x86_64 stripped [\d,]+", updated.stdout, re.MULTILINE)
    passed = _test(app)
    assert passed.returncode == 0, passed.stdout
    app.place("size", {name: tmp_path / name for name in models}, "*.pb")
    written = tmp_path / "comment.md"
    commented = app.bazel(
        ["run", "--noshow_progress", f"{PLANTED}.comment", "--", "-o", str(written)]
    )
    assert commented.returncode == 0, commented.stdout
    assert r"class added | ReluOp\<CPUDevice, double\>" in written.read_text()
    failed = _test(app)
    assert failed.returncode == 3, failed.stdout
    causes = [line for line in failed.stdout.splitlines() if ": class " in line]
    assert len(causes) == 1, failed.stdout
    assert (
        "class ReluOp<CPUDevice, double> (tensorflow/core/kernels/relu_op.cc) added: +" in causes[0]
    )
    assert causes[0].endswith("for size/double.pb")
    assert not [line for line in failed.stdout.splitlines() if ": op " in line]


def _test(app: Workspace) -> subprocess.CompletedProcess[str]:
    return app.bazel(["test", "--noshow_progress", "--test_output=all", PLANTED])


def test_reports_are_read_by_the_command(files: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert cli.main(["size", str(files["sizes.json"]), f"--html={page}"]) == 0
    assert page.read_bytes() == files["sizes.html"].read_bytes()
