"""benchmark_model and tfcarve benchmark with the app's library and Inception's, on this machine and under qemu."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from built import published
from e2e.builds import built_libraries
from tfcarve import cli
from tfcarve.benchmark import measurement
from tfcarve.benchmark.measurement import Measurement

LIBRARY = "//:tensorflow"
RELEASE = "//:release"
HOST, ARM64 = "linux_x86_64", "linux_arm64"
_PAGE = Path(os.environ.get("RUNFILES_DIR", "")) / "_main/docs/benchmark.md"
INPUT = "--input-random=input=float32:8x4"
OUTPUT = "--output=output"
# The published multiply-adds of one run: 5.7 and 0.3 billion.
KNOWN = {"inception_v3": (5.70e9, 5.75e9), "mobilenet_v2": (0.300e9, 0.302e9)}


class Built(NamedTuple):
    """The app's libraries and programs in a user's folder."""

    folder: Path
    program: Path
    library: Path
    arm64: Path
    arm64_library: Path


def _named(files: Sequence[Path], name: str) -> Path:
    return next(file for file in files if file.name == name)


def _place(folder: Path, files: Sequence[Path], names: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).symlink_to(_named(files, name))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A bazel-bin with the files of builds."""
    folder = tmp_path_factory.mktemp("user")
    found = published.of("app")
    files = list(found.named(LIBRARY, "default", "programs", "sizes").values())
    tensorflow = folder / "bazel-bin" / "tensorflow"
    _place(tensorflow, files, ("benchmark_model", "libtensorflow-core.so", "sizes.json"))
    files = list(found.named(RELEASE, ARM64, f"{ARM64}_programs").values())
    arm64 = folder / "bazel-bin" / "release" / ARM64
    _place(arm64, files, ("benchmark_model", "libtensorflow-core.so"))
    shutil.copy(found.models / "tiny.pb", folder)
    return Built(
        folder,
        tensorflow / "benchmark_model",
        tensorflow / "libtensorflow-core.so",
        arm64 / "benchmark_model",
        arm64 / "libtensorflow-core.so",
    )


@pytest.fixture
def here(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Built:
    """A writable folder with the model."""
    shutil.copy(built.folder / "tiny.pb", tmp_path)
    (tmp_path / "bazel-bin").symlink_to(built.folder / "bazel-bin")
    monkeypatch.chdir(tmp_path)
    return built


def _program(built: Built, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [built.program, *arguments], check=False, text=True, capture_output=True, timeout=600
    )


def _measure(built: Built, *arguments: str) -> Measurement:
    done = _program(built, "tiny.pb", INPUT, OUTPUT, "--json=b.json", *arguments)
    assert done.returncode == 0, done.stderr
    return measurement.parse(Path("b.json").read_bytes(), "b.json")


def _benchmark(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    command = ["benchmark", *map(str, arguments), INPUT, OUTPUT, "--json"]
    assert cli.main(command) == 0, capsys.readouterr().err
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_measurements(here: Built) -> None:
    found = _measure(here, "--runs=30", "--warmup=2", "--threads=2", "--traced-runs=3")
    assert (found.runs, found.warmup, found.threads, found.traced_runs) == (30, 2, 2, 3)
    for of in (found.wall_ms, found.cpu_ms):
        assert 0 <= of.min <= of.median <= of.p95
        assert of.min <= of.mean
    assert found.wall_ms.min > 0
    assert found.load_ms > 0 and found.first_ms > 0
    assert found.anonymous_bytes_loaded is not None and found.anonymous_bytes is not None
    assert found.peak_bytes is not None
    assert 0 < found.anonymous_bytes_loaded < found.peak_bytes
    assert found.anonymous_bytes < found.peak_bytes


def test_nodes(here: Built) -> None:
    found = _measure(here, "--runs=1")
    nodes = {node.op: node for node in found.nodes}
    assert {"AppScale", "MatMul", "Relu"} <= nodes.keys()
    product = nodes["MatMul"]
    assert (product.name, product.calls) == ("dense", 1)
    assert [(output.dtype, output.dims) for output in product.outputs] == [(1, (8, 3))]
    assert len(product.inputs) == 2
    assert product.bytes >= 8 * 3 * 4, "the output is not counted"
    assert sum(node.share for node in found.nodes) == pytest.approx(1, abs=1e-3)
    assert sum(op.ms for op in found.ops) == pytest.approx(sum(n.ms for n in found.nodes), abs=1e-3)
    assert [op.ms for op in found.ops] == sorted((op.ms for op in found.ops), reverse=True)


def test_without_traced_runs_there_are_no_nodes(here: Built) -> None:
    found = _measure(here, "--runs=0", "--traced-runs=0")
    assert (found.runs, found.nodes, found.ops) == (0, (), ())
    assert found.wall_ms.mean == 0


def test_seconds(here: Built) -> None:
    assert _measure(here, "--seconds=1", "--traced-runs=0").runs > 1


def test_input_from_a_file(here: Built) -> None:
    np.save("in.npy", np.ones((5, 4), np.float32))
    done = _program(here, "tiny.pb", "--input=input=in.npy", OUTPUT, "--json=b.json")
    assert done.returncode == 0, done.stderr
    found = measurement.parse(Path("b.json").read_bytes(), "b.json")
    assert {n.op: n.outputs[0].dims for n in found.nodes if n.outputs}["MatMul"] == (5, 3)


def test_the_command_lines_that_inspect_prints(
    here: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["inspect", "tiny.pb", "--json"]) == 0
    _, (program, *words), (tfcarve, *command) = json.loads(capsys.readouterr().out)["commands"]
    assert (program, tfcarve) == ("benchmark_model", "tfcarve")
    done = _program(here, *words, "--runs=1")
    assert done.returncode == 0, done.stderr
    Path("benchmark_model").symlink_to(here.program)
    assert cli.main([*command, "--runs=1"]) == 0


def test_a_drawing_with_the_reports(here: Built, capsys: pytest.CaptureFixture[str]) -> None:
    found = _benchmark(capsys, here.program, "tiny.pb", "--runs=1")
    Path("time.json").write_text(json.dumps(found))
    reports = ["--time", "time.json", "--size", "bazel-bin/tensorflow/sizes.json"]
    assert cli.main(["graph", "tiny.pb", "-o", "tiny.dot", *reports]) == 0
    (dense,) = re.findall(r'label="dense\\nMatMul\\n(.*)"', Path("tiny.dot").read_text())
    assert re.fullmatch(r"[\d.e-]+ ms · library [\d.]+ k?B", dense)


def test_trace_for_chrome(here: Built) -> None:
    found = _measure(here, "--trace=trace.json")
    events = json.loads(Path("trace.json").read_bytes())["traceEvents"]
    assert {event["name"] for event in events} == {node.name for node in found.nodes}
    assert min(event["ts"] for event in events) == 0
    for event in events:
        assert event["ph"] == "X" and event["dur"] >= 0 and event["tid"] >= 1
    lane = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if e["tid"] == 1)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(lane))


def test_text(here: Built) -> None:
    done = _program(here, "tiny.pb", INPUT, OUTPUT, "--nodes")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^wall( +[\d.]+){5}$", done.stdout, re.MULTILINE)
    assert re.search(r"% +1 +[\d.]+  MatMul$", done.stdout, re.MULTILINE)
    assert re.search(r"dense \(MatMul\)$", done.stdout, re.MULTILINE)
    without = _program(here, "tiny.pb", INPUT, OUTPUT)
    assert "dense (MatMul)" not in without.stdout


def test_json_on_standard_output_does_not_mix_with_text(here: Built) -> None:
    done = _program(here, "tiny.pb", INPUT, OUTPUT, "--json=-")
    assert done.returncode == 0, done.stderr
    assert measurement.parse(done.stdout.encode(), "the standard output").runs == 20
    assert re.search(r"^wall( +[\d.]+){5}$", done.stderr, re.MULTILINE)


def test_help(here: Built) -> None:
    done = _program(here, "--help")
    assert done.returncode == 0
    for option in re.findall(r"--[a-z-]+", done.stdout):
        assert option == "--help" or "unknown option" not in _program(here, option).stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "no model given"),
        (["tiny.pb"], 2, "no --output given"),
        (["tiny.pb", OUTPUT, "tiny.pb"], 2, "more than one model: 'tiny.pb'"),
        (["tiny.pb", OUTPUT, "--fast"], 2, "unknown option '--fast'"),
        (["tiny.pb", "--output"], 2, "--output takes the name of a node"),
        (["tiny.pb", OUTPUT, "--json="], 2, "--json takes the name of a file"),
        (["tiny.pb", OUTPUT, "--threads=-1"], 2, "a number from 0 to 1024, not '-1'"),
        (["tiny.pb", OUTPUT, "--threads", "1025"], 2, "a number from 0 to 1024, not '1025'"),
        (["tiny.pb", OUTPUT, "--threads=99999999999"], 2, "a number from 0 to 1024"),
        (["tiny.pb", OUTPUT, "--runs=-1"], 2, "--runs takes a number from 0 to 1000000"),
        (["tiny.pb", OUTPUT, "--seconds=0"], 2, "--seconds takes a number from 1 to 86400"),
        (["tiny.pb", OUTPUT, "--warmup=x"], 2, "--warmup takes a number from 0 to 1000000"),
        (["tiny.pb", OUTPUT, "--runs=1", "--seconds=1"], 2, "--runs and --seconds exclude"),
        (
            ["tiny.pb", OUTPUT, "--nodes", "--traced-runs=0"],
            2,
            "--nodes and --trace require --traced-runs",
        ),
        (["tiny.pb", OUTPUT, "--input=input"], 2, "--input takes NAME=FILE.npy, not 'input'"),
        (["tiny.pb", OUTPUT, "--input=input=no.npy"], 2, "can't read no.npy"),
        (["tiny.pb", OUTPUT, "--input-random=input"], 2, "takes NAME=TYPE:DIMS, not 'input'"),
        (["tiny.pb", OUTPUT, "--input-random=input=f:1"], 2, "--input-random input: 'f:1' is not"),
        (["no.pb", OUTPUT], 2, "no.pb: can't be read: No such file or directory"),
        (["words", OUTPUT], 2, "words: the graph is not a serialized GraphDef"),
        (["tiny.pb", INPUT, OUTPUT, "--json=no/b.json"], 2, "can't write no/b.json"),
        (["tiny.pb", INPUT, OUTPUT, "--trace=no/t.json"], 2, "can't write no/t.json"),
        (["tiny.pb", OUTPUT], 1, "You must feed a value for placeholder tensor 'input'"),
        (["tiny.pb", INPUT, "--output=other"], 1, "other:0"),
        (["tiny.pb", "--input-random=input=float32:8x5", OUTPUT], 1, "dense"),
    ],
)
def test_invalid_input(here: Built, arguments: list[str], status: int, message: str) -> None:
    Path("words").write_text("these are words and no model")
    done = _program(here, "--runs=1", "--json=out.json", *arguments)
    assert done.returncode == status, done.stderr
    assert message in done.stderr
    assert done.stdout == ""
    assert not list(Path.cwd().glob("*.partial"))


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["PROGRAM", "no.pb"], 2, "no.pb: no such file"),
        (["no", "tiny.pb"], 2, "no: no such file"),
        (["tiny.pb", "tiny.pb"], 2, "tiny.pb: not an ELF file"),
        (["ARM64_LIBRARY", "tiny.pb"], 2, "a library for aarch64, which this machine cannot load"),
        (["PROGRAM", "tiny.pb", "--threads=-1"], 2, "a number from 0 to 1024, not '-1'"),
        (["PROGRAM", "tiny.pb", "--threads=1025"], 2, "a number from 0 to 1024, not '1025'"),
        (["PROGRAM", "tiny.pb", "--runs=1", "--seconds=1"], 2, "not allowed with argument"),
        (["PROGRAM", "tiny.pb", "--input=x"], 2, "--input takes NAME=FILE.npy, not 'x'"),
        (
            ["PROGRAM", "tiny.pb", "--trace=t.json", "--traced-runs=0"],
            2,
            "--trace requires --traced-runs",
        ),
        (["LIBRARY", "tiny.pb", "--trace=t.json"], 2, "--trace requires a benchmark_model"),
        (["PROGRAM", "tiny.pb", "--sizes=sizes.json"], 2, "--sizes requires --html"),
        (
            ["PROGRAM", "ops.json"],
            2,
            "ops.json: expected a frozen GraphDef, not the format ops-list",
        ),
        (["PROGRAM", "tiny.pb", "--sizes=words", "--html=page.html"], 2, "words: "),
        (["PROGRAM", "tiny.pb", "--output=other", "--html=page.html"], 1, "other:0"),
        (["LIBRARY", "tiny.pb", "--output=other"], 1, "other:0"),
        (["PROGRAM", "tiny.pb", "--input-random=input=x:1"], 2, "'x:1' is not TYPE:DIMS"),
        (["LIBRARY", "tiny.pb", "--input-random=input=x:1"], 2, "'x:1' is not TYPE:DIMS"),
        (["LIBRARY", "tiny.pb", "--input=input=words"], 2, "words: not a .npy file"),
    ],
)
def test_invalid_use_of_the_command(
    here: Built,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    Path("words").write_text("these are words and no array")
    Path("ops.json").write_text('[["Relu", "ReluOp"]]')
    places = {"PROGRAM": here.program, "LIBRARY": here.library, "ARM64_LIBRARY": here.arm64_library}
    words = [str(places.get(word, word)) for word in arguments]
    assert cli.main(["benchmark", *words]) == status
    assert message in capsys.readouterr().err
    assert not Path("page.html").exists()


def test_library_and_program_report_the_same(
    here: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    of_program = _benchmark(capsys, here.program, "tiny.pb", "--runs=3")
    of_library = _benchmark(capsys, here.library, "tiny.pb", "--runs=3")
    assert of_program["multiply_adds"] == of_library["multiply_adds"] == 8 * 4 * 3
    assert of_program.keys() == of_library.keys()
    same = ("name", "op", "inputs", "calls", "outputs", "multiply_adds")
    rows = [
        sorted(([node[key] for key in same] for node in document["nodes"]), key=str)
        for document in (of_program, of_library)
    ]
    assert rows[0] == rows[1]
    for document in (of_program, of_library):
        assert document["instructions"] is None
        assert document["wall_ms"]["min"] > 0
        assert document["peak_bytes"] > document["anonymous_bytes_loaded"] > 0


def test_inputs_and_outputs_of_the_model_are_the_default(
    here: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["benchmark", str(here.program), "tiny.pb", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["multiply_adds"] == 1 * 4 * 3
    assert document["runs"] == 20


def test_instructions_under_qemu(here: Built, capsys: pytest.CaptureFixture[str]) -> None:
    found = _benchmark(capsys, here.arm64, "tiny.pb")
    assert found["cpu"] == "aarch64"
    assert found["multiply_adds"] == 8 * 4 * 3
    assert found["wall_ms"] is None and found["nodes"][0]["ms"] is None
    one = found["instructions"]
    assert one["load_and_first_run"] > one["run"] > 0
    # The control: the run is counted. A batch of 20,000 takes at least one instruction for every four numbers that
    # it reads, writes or multiplies.
    words = ["--input-random=input=float32:20000x4", OUTPUT, "--json"]
    assert cli.main(["benchmark", str(here.arm64), "tiny.pb", *words]) == 0
    large = json.loads(capsys.readouterr().out)["instructions"]
    assert large["run"] > one["run"] + 20_000


def _blocks(language: str) -> list[str]:
    text = _PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_commands_of_the_docs(here: Built, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [line for block in _blocks("sh") for line in block.splitlines()]
    assert len(commands) == 10
    for line in commands:
        program, *arguments = shlex.split(line)
        if program == "tfcarve":
            assert cli.main(arguments) == 0, line
        else:
            subprocess.run([program, *arguments], check=True, capture_output=True)
    assert "bytes" in Path("speed.html").read_text(encoding="utf-8")
    assert json.loads(Path("trace.json").read_bytes())["traceEvents"]
    assert json.loads(Path("figures.json").read_bytes())["runs"] == 20


@pytest.mark.parametrize(
    ("target", "group", "folder"),
    [
        (LIBRARY, "programs", "tensorflow"),
        (RELEASE, f"{ARM64}_programs", f"release/{ARM64}"),
    ],
)
def test_programs_are_where_the_docs_say(target: str, group: str, folder: str) -> None:
    found = published.of("app")
    names = [str(file.relative_to(found.folder)) for file in found.files(target, group)]
    assert names == [f"{folder}/run_model", f"{folder}/benchmark_model"]
    text = _PAGE.read_text(encoding="utf-8")
    assert f" {target} --output_groups={group}" in text
    assert f"`bazel-bin/{folder}`" in text


def test_target_of_the_docs() -> None:
    (block,) = _blocks("starlark")
    text = (built_libraries.APP / "benchmark" / "BUILD").read_text(encoding="utf-8")
    for part in block.strip().split("\n\n"):
        assert part in text


@pytest.mark.parametrize("name", KNOWN)
def test_multiply_adds_of_known_models(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = published.of("shared")
    files = shared.named("//shared:library", "programs", "sizes")
    sizes, benchmark = files["sizes.json"], files["benchmark_model"]
    page, fed = tmp_path / "page.html", shared.models / "zoo" / f"{name}.input.npy"
    arguments = [f"--input=input={fed}", OUTPUT, "--runs=1", "--traced-runs=1", "--json"]
    program = [str(benchmark), str(shared.models / "zoo" / f"{name}.pb")]
    shown = [f"--html={page}", f"--sizes={sizes}"]
    assert cli.main(["benchmark", *program, *arguments, *shown]) == 0, capsys.readouterr().err
    document = json.loads(capsys.readouterr().out)
    least, most = KNOWN[name]
    assert least < document["multiply_adds"] < most
    ops = {op["op"]: op for op in document["ops"]}
    assert ops["Conv2D"]["multiply_adds"] > 0.9 * document["multiply_adds"]
    assert ops["Conv2D"]["gflops"] > 0
    assert ops["Conv2D"]["share"] > 0
    # Each share has six decimals.
    assert sum(op["share"] for op in document["ops"]) == pytest.approx(1, abs=1e-4)
    text = page.read_text(encoding="utf-8")
    assert re.search(r'>Conv2D<div>.*class="bar bytes" style="width:[1-9]', text)
