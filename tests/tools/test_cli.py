"""Tests of the command line: its output files, messages and exit status."""

import dataclasses
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import flat
import indexes
import protos
import pytest
import trees
from msgspec.structs import replace
from protos import node

from tfcarve import cli, commands, pinned
from tfcarve.emit import hot
from tfcarve.errors import InvalidInput
from tfcarve.registry import index
from tfcarve.releases import known
from tfcarve.selection.selection import parse

_FLOAT = {"T": protos.type_value("float32")}
_RELU = protos.graph(node("r", "Relu", _FLOAT))


@pytest.fixture(autouse=True)
def _in_a_folder_with_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TFCARVE_TENSORFLOW", raising=False)
    Path("index.json").write_bytes(indexes.INDEX.to_json())
    Path("relu.pb").write_bytes(_RELU)


def _run(*arguments: str) -> int:
    return cli.main(arguments)


def _select(*arguments: str) -> int:
    return _run("select", *arguments, "--index", "index.json", "-o", "s.json")


def test_all_outputs_of_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    selection = parse(Path("s.json").read_bytes(), "s.json")
    assert "ReluOp<float>" in {k.clazz for k in selection.kernels}
    assert _run("header", "s.json", "-o", "ops_to_register.h") == 0
    assert '"ReluOp<float>"' in Path("ops_to_register.h").read_text()
    assert _run("op-files", "s.json") == 0
    assert f"{indexes.KERNELS}relu_op.cc\n" in capsys.readouterr().out
    assert _run("units", "s.json", "--units", "u", "--helpers", "h") == 0
    assert {p.name for p in Path("h").iterdir()} == {"tensorflow__core__kernels__relu_helper.cc"}
    assert _run("units", "s.json", "--units", "u") == 0


def test_an_aligned_graph_has_the_same_selection() -> None:
    value = protos.tensor_value("float32", (1024,), bytes(4096))
    constant = node("c", "Const", {"dtype": protos.type_value("float32"), "value": value})
    Path("m.pb").write_bytes(protos.graph(constant, node("r", "Relu", _FLOAT)))
    made = []
    for _ in range(2):
        assert _select("m.pb") == 0
        selection = parse(Path("s.json").read_bytes(), "s.json")
        made.append((selection.models[0].sha256, replace(selection, models=())))
        assert _run("memmap", "m.pb", "-o", "m.pb") == 0
    (digest, plain), (other_digest, aligned) = made
    assert plain == aligned
    assert digest != other_digest, "the files differ"


def test_unchanged_outputs_are_not_touched() -> None:
    def everything() -> dict[str, int]:
        assert _select("relu.pb") == 0
        assert _run("header", "s.json", "-o", "h.h") == 0
        assert _run("units", "s.json", "--units", "u", "--helpers", "h") == 0
        files = [Path("s.json"), Path("h.h"), *Path("u").iterdir(), *Path("h").iterdir()]
        return {str(f): f.stat().st_mtime_ns for f in files}

    before = everything()
    for file in before:
        os.utime(file, ns=(1, 1))
    assert set(everything().values()) == {1}


def _tree_index(tree: str) -> bytes:
    assert _run("index", "--tensorflow", tree, "-o", "t.json") == 0
    return Path("t.json").read_bytes()


def test_op_files_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    capsys.readouterr()
    kernel = f"{indexes.KERNELS}relu_op.cc"
    listed = Path("tf_op_files.txt")
    listed.write_text(f"z.cc\n{kernel}\n")
    assert _run("op-files", "s.json", "--extend", "tf_op_files.txt") == 0
    assert listed.read_text().startswith(f"z.cc\n{kernel}\n{indexes.KERNELS}")
    os.utime(listed, ns=(1, 1))
    assert _run("op-files", "s.json", "--extend", "tf_op_files.txt") == 0
    assert listed.stat().st_mtime_ns == 1
    assert capsys.readouterr().out == ""


def test_malformed_op_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    Path("binary").write_bytes(b"a.cc\n\xff")
    assert _run("op-files", "s.json", "--extend", "binary") == 2
    assert "binary: byte 5: not UTF-8" in capsys.readouterr().err
    assert _run("op-files", "s.json", "--extend", "gone") == 2
    assert "gone: no such file" in capsys.readouterr().err
    assert _run("op-files", "s.json", "--extend", "binary", "-o", "other") == 2
    assert "omit -o" in capsys.readouterr().err
    assert _run("op-files", "s.json", "--extend", "binary", "--build-fragment") == 2


def test_build_fragment(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    build = trees.write(Path("tree")) / "tensorflow/core/kernels/BUILD"
    build.write_text('filegroup(name = "portable_extended_ops_group2", srcs = [])')
    assert _run("op-files", "s.json", "--build-fragment", "--tensorflow", "tree") == 2
    assert "tree: TensorFlow 9.8.7-rc1, but the selection is for 9.8.7" in capsys.readouterr().err
    facts = index.parse(_tree_index("tree"), "t.json").tensorflow
    selection = parse(Path("s.json").read_bytes(), "s.json")
    Path("s.json").write_bytes(replace(selection, tensorflow=facts).to_json())
    assert _run("op-files", "s.json", "--build-fragment", "--tensorflow", "tree") == 0
    assert '        "relu_op.cc",\n' in capsys.readouterr().out
    build.write_text("filegroup(")
    assert _run("op-files", "s.json", "--build-fragment", "--tensorflow", "tree") == 2
    assert "tfcarve: tree: tensorflow/core/kernels/BUILD:1: " in capsys.readouterr().err


def test_units_of_another_selection_are_removed() -> None:
    assert _select("relu.pb") == 0
    assert _run("units", "s.json", "--units", "u") == 0
    Path("noop.pb").write_bytes(protos.graph(node("n", "NoOp")))
    assert _select("noop.pb") == 0
    assert _run("units", "s.json", "--units", "u") == 0
    assert "tensorflow__core__kernels__relu_op.cc" not in {p.name for p in Path("u").iterdir()}


def test_units_need_separate_folders(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert _run("units", "s.json", "--units", "u", "--helpers", ".") == 2
    assert ".: contains 'index.json', which tfcarve did not write" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before
    assert _run("units", "s.json", "--units", "u", "--helpers", "./u") == 2
    assert "u: used for the units and for the helpers: pass two folders" in capsys.readouterr().err


def _names(folder: str) -> set[str]:
    return {path.name for path in Path(folder).iterdir()}


def test_hot_units_are_in_separate_folders(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _select("relu.pb") == 0
    assert _run("units", "s.json", "--units", "u", "--helpers", "h") == 0
    units, helpers = _names("u"), _names("h")
    (hot_unit,) = (name for name in units if "relu_op" in name)
    (hot_helper,) = helpers
    sources = (f"{indexes.KERNELS}relu_op.cc", f"{indexes.KERNELS}relu_helper.cc")
    monkeypatch.setattr(hot, "groups", lambda _: (hot.Group("relu", "", sources),))
    folders = ["--units", "u", "--hot-units", "hu", "--helpers", "h", "--hot-helpers", "hh"]
    whole = Path("u", hot_unit).read_bytes()
    assert _run("units", "s.json", *folders) == 0
    assert (_names("hu"), _names("u")) == ({hot_unit}, units - {hot_unit})
    assert (_names("hh"), _names("h")) == ({hot_helper}, set())
    assert Path("hu", hot_unit).read_bytes() == whole
    assert _run("units", "s.json", "--units", "u") == 0
    assert _names("u") == units, "without a hot folder they are among the others"
    assert _run("units", "s.json", "--units", "u", "--hot-units", "./u") == 2
    assert (
        "u: used for the units and for the hot units: pass two folders" in capsys.readouterr().err
    )
    assert _run("units", "s.json", "--units", "u", "--hot-helpers", "hh") == 2
    assert "--hot-helpers: pass --helpers as well" in capsys.readouterr().err


def test_units_that_need_a_library_are_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _select("relu.pb") == 0
    capsys.readouterr()
    file = f"{indexes.KERNELS}relu_op.cc"
    release = known.release()
    needed = {**release.units.libraries, file: ("libone", "libtwo")}
    changed = dataclasses.replace(release, units=replace(release.units, libraries=needed))
    monkeypatch.setattr(known, "for_version", lambda _: changed)
    assert _run("units", "s.json", "--units", "u") == 1
    assert capsys.readouterr().err.splitlines() == [
        "tfcarve: s.json: a library needs third-party code that tfcarve does not build:",
        f"  op 'Relu': its kernel, in {file}, needs libone, libtwo",
        "    needed by relu.pb: node 'r'",
        "    remove the op from the model, and compute its result in the app",
    ]
    assert not Path("u").exists()


def test_units_of_libraries(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _select("relu.pb") == 0
    assert _run("units", "s.json", "--units", "u", "--libraries", "l") == 0
    assert _names("l") == set()
    release = known.release()
    needed = {**release.units.libraries, f"{indexes.KERNELS}relu_op.cc": ("giflib", "HighwayHash")}
    changed = dataclasses.replace(release, units=replace(release.units, libraries=needed))
    monkeypatch.setattr(known, "for_version", lambda _: changed)
    assert _run("units", "s.json", "--units", "u", "--libraries", "l") == 0
    assert _names("l") == {f"giflib__{source}" for source in release.libraries["giflib"]}
    assert (
        Path("l", "giflib__dgif_lib.c").read_text()
        == '#define TFCARVE_LIBRARY "giflib"\n#include <dgif_lib.c>\n'
    )
    assert _run("units", "s.json", "--units", "u", "--libraries", "./u") == 2
    assert (
        "u: used for the units and for the libraries: pass two folders" in capsys.readouterr().err
    )


def test_units_for_other_defines_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    assert _run("units", "s.json", "--units", "u", "--define", "B", "--define", "A") == 0
    assert _run("units", "s.json", "--units", "v", "--define", "B", "--define", "C=1") == 2
    message = capsys.readouterr().err
    assert "only in the selection: A\n" in message and "only in the compile:   C=1\n" in message
    assert not Path("v").exists()


def test_config_and_lists() -> None:
    Path("more.yaml").write_text("ops: [Relu6]")
    assert _select("relu.pb", "--config", "more.yaml") == 0
    ops = {o.name for o in parse(Path("s.json").read_bytes(), "s").ops}
    assert {"Relu", "Relu6"} <= ops


_OTHER = "is not a release that tfcarve builds"


def test_a_tree_of_another_release(capsys: pytest.CaptureFixture[str]) -> None:
    """One warning, with both versions; none for a known release."""
    version = known.release().version
    assert _select("relu.pb") == 0
    assert capsys.readouterr().err == (
        f"tfcarve: warning: TensorFlow 9.8.7 {_OTHER}: the data of {version} are used\n"
    )
    facts = replace(indexes.INDEX.tensorflow, version=version)
    Path("index.json").write_bytes(replace(indexes.INDEX, tensorflow=facts).to_json())
    assert _select("relu.pb") == 0
    assert capsys.readouterr().err == ""


def test_an_index_without_helper_sources(capsys: pytest.CaptureFixture[str]) -> None:
    trees.write(Path("tree"))
    plain = _tree_index("tree")
    warning = "warning: tree: no helper sources were found: TensorFlow 9.8.7-rc1 is not a release"
    assert warning in capsys.readouterr().err
    assert index.parse(plain, "t.json").helpers == {}


def test_an_index_of_an_incomplete_tree(capsys: pytest.CaptureFixture[str]) -> None:
    release = known.release()
    major, minor, patch = release.version.split(".")
    text = f"#define TF_MAJOR_VERSION {major}\n#define TF_MINOR_VERSION {minor}\n#define TF_PATCH_VERSION {patch}\n"
    trees.write(Path("tree"), {**trees.FILES, "tensorflow/core/public/version.h": text})
    assert _run("index", "--tensorflow", "tree", "-o", "t.json") == 2
    message = capsys.readouterr().err
    assert f"{release.core.platform_sources[0]} (core.platform_sources)" in message
    assert "release.toml names them" in message
    assert not Path("t.json").exists()


def test_warning(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gpu.pb").write_bytes(protos.graph(node("r", "Relu", _FLOAT, "/device:GPU:0")))
    assert _select("gpu.pb") == 0
    assert "warning: gpu.pb: node 'r' is placed on /device:GPU:0" in capsys.readouterr().err


_CLEARS_THE_SCREEN = "\x1b[2J"


def test_control_characters_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    device = f"/device:{_CLEARS_THE_SCREEN}:0"
    for name, op, status in (("r", "Relu", 0), (_CLEARS_THE_SCREEN, "Reluu", 1)):
        Path("m.pb").write_bytes(protos.graph(node(name, op, _FLOAT, device)))
        assert _select("m.pb") == status  # with a warning, and with an error
    assert _run("explain", "s.json", "Relu") == 0
    assert _run("inspect", "m.pb") == 0
    printed = capsys.readouterr()
    assert "is placed on /device:\\x1b[2J:0" in printed.err
    for text in printed:
        assert " \\x1b[2J " in text or "'\\x1b[2J'" in text
        assert _CLEARS_THE_SCREEN not in text


_BAD_MODELS = {
    "no file": ("gone.pb", None, "gone.pb: no such file"),
    "empty": ("m.pb", b"", "m.pb: is empty"),
    "cut off": ("m.pb", _RELU[:-9], "m.pb: "),
    "text": ("m.pb", b"hello, this is text", "m.pb: is text"),
    "zero nodes": ("m.pb", protos.graph(), "m.pb: the graph has no nodes"),
    "broken tflite": ("m.tflite", flat.model(["FlexAdd"], [(0, b"")]), "m.tflite: operator 0"),
}


@pytest.mark.parametrize(("name", "content", "message"), _BAD_MODELS.values(), ids=_BAD_MODELS)
def test_bad_model(
    name: str, content: bytes | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    assert _select("relu.pb", name) == 2
    assert f"tfcarve: {message}" in capsys.readouterr().err
    assert not Path("s.json").exists()


def test_directory(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select(".") == 2
    assert "without saved_model.pb" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (protos.graph(node("r", "Reluu")), "op 'Reluu' is unknown to TensorFlow 9.8.7"),
        (
            protos.graph(node("r", "Relu", {"T": protos.type_value("bool")})),
            "op 'Relu' (T=bool): no kernel for T=bool",
        ),
    ],
    ids=["unknown op", "no kernel for the type"],
)
def test_missing_ops(graph: bytes, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.pb").write_bytes(graph)
    assert _select("m.pb") == 1
    assert message in capsys.readouterr().err
    assert not Path("s.json").exists()


@pytest.mark.parametrize("arguments", [[], ["wrong"], ["select"], ["header"], ["units", "s.json"]])
def test_bad_use(arguments: list[str]) -> None:
    assert _run(*arguments) == 2


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("freezes", "; did you mean freeze"),
        ("op_files", "; did you mean op-files"),
        ("\x1b[2J", "; `tfcarve --help` lists the commands"),
        ("xyzzy", "; `tfcarve --help` lists the commands"),
    ],
)
def test_a_wrong_command(command: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(command, "model.pb") == 2
    printed = capsys.readouterr()
    assert f"tfcarve: error: {command!r}: no such command{hint}" in printed.err
    assert not printed.out


@pytest.mark.parametrize(
    "command", ["index", "select", "header", "op-files", "units", "locate", "explain", "inspect"]
)
def test_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(command, "--help") == 0
    assert f"usage: tfcarve {command}" in capsys.readouterr().out


def test_names() -> None:
    assert [commands.load(name).NAME for name in commands.NAMES] == list(commands.NAMES)
    modules = {m.name for m in pkgutil.iter_modules(commands.__path__)}
    shared = {
        *("common", "freeze_options", "graph_file", "index_argument", "ios_slices"),
        *("model_argument", "options", "prepare_options", "read_model", "size_common"),
    }
    assert {name.replace("-", "_") for name in commands.NAMES} == modules - shared


_SLOW_TO_LOAD = ("lief", "elftools", "jinja2", "squarify")


@pytest.mark.parametrize(
    ("command", "modules"),
    [
        ("header", _SLOW_TO_LOAD),
        ("prove", ("lief",)),
        # It starts hashing models before it loads modules.
        ("select", (*_SLOW_TO_LOAD, "yaml", "tfcarve.models.read", "tfcarve.registry.index")),
    ],
)
def test_commands_are_loaded_on_demand(command: str, modules: tuple[str, ...]) -> None:
    program = (
        f"import sys; from tfcarve import cli; cli.main([{command!r}, '--help'])\n"
        f"sys.exit(str([m for m in {modules} if m in sys.modules]))"
    )
    path = os.pathsep.join([str(Path(cli.__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.strip() == "[]"


def test_output_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("file").write_text("")
    assert _run("select", "relu.pb", "--index", "index.json", "-o", "file/s.json") == 2
    assert "cannot be written" in capsys.readouterr().err


def test_bad_index(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("select", "relu.pb", "--index", "gone.json") == 2
    assert _run("select", "relu.pb", "--index", ".") == 2
    assert "is a directory: expected a file" in capsys.readouterr().err


def test_locate(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("locate", "Relu", "--index", "index.json", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [r["class"] for r in rows] == ["", "ReluOp<float>", "ReluOp<double>", "FastReluOp"]
    assert _run("locate", "Relu", "--index", "index.json", "--device", "all") == 0
    assert "GPU kernel" in capsys.readouterr().out
    assert _run("locate", "Reluu", "--index", "index.json") == 1
    assert "did you mean Relu" in capsys.readouterr().err


def _explained(what: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    capsys.readouterr()
    assert _run("explain", "s.json", what, "--json") == 0
    found: list[dict[str, str]] = json.loads(capsys.readouterr().out)
    return found


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert _select("relu.pb") == 0
    op, kernel = _explained("Relu", capsys)
    assert (op["what"], op["file"], op["model"], op["node"]) == (
        "op Relu",
        indexes.OPS,
        "relu.pb",
        "r",
    )
    assert op["why"] == "defines the op Relu"
    assert (kernel["what"], kernel["node"]) == ("kernel ReluOp<float>", "r")
    assert kernel["why"] == ("of 2 CPU kernels, the one for T=float32; registered for T=float32")
    assert _explained(f"{indexes.KERNELS}relu_op.cc", capsys) == [kernel]
    assert _explained("ReluOp< float >", capsys) == [kernel]
    (helper,) = _explained(f"{indexes.KERNELS}relu_helper.cc", capsys)
    assert helper["why"].startswith(f"{indexes.KERNELS}relu_op.cc uses symbols that it defines")
    assert _run("explain", "s.json", "NoOp") == 0
    assert "runtime: source-and-sink" in capsys.readouterr().out
    assert _run("explain", "s.json", "ReluOp<flout>") == 1
    assert "did you mean ReluOp<float>" in capsys.readouterr().err


@pytest.mark.parametrize("escape", ["\\ud800", "\\udc00\\ud800", "\\uDFFF"])
def test_unpaired_surrogates(escape: str, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON can encode what UTF-8 cannot."""
    assert _select("relu.pb") == 0
    for name, text, command in [
        ("s.json", '"node": "r"', "explain half.json Relu --json"),
        ("s.json", '"ReluOp<float>"', "header half.json"),
        ("index.json", '"ReluOp<float>"', "select relu.pb --index half.json"),
    ]:
        whole = Path(name).read_text()
        Path("half.json").write_text(whole.replace(text, text[:-1] + escape + '"'))
        assert _run(*command.split()) == 2
        assert "half.json: JSON is malformed" in capsys.readouterr().err
        Path("half.json").write_text(whole.replace(text, text[:-1] + '\\ud83d\\ude00\\\\ud800"'))
        assert _run(*command.split()) == 0


def test_explain_a_node_in_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    body = protos.function("F", node("inner", "Relu", _FLOAT))
    Path("f.pb").write_bytes(protos.graph(node("call", "F"), functions=[body]))
    assert _select("f.pb") == 0
    rows = _explained("Relu", capsys)
    assert {(r["model"], r["function"], r["node"]) for r in rows} == {("f.pb", "F", "inner")}


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("inspect", "relu.pb") == 0
    assert "nodes: 1 with 1 ops" in capsys.readouterr().out
    assert _run("inspect", "relu.pb", "--json") == 0
    assert json.loads(capsys.readouterr().out)["ops"] == {"Relu": 1}


@pytest.mark.parametrize("define", ["", "=1", "A B", "1A", "A-B", "A=1\n#error"])
def test_malformed_defines(define: str, capsys: pytest.CaptureFixture[str]) -> None:
    trees.write(Path("tree"))
    assert _run("index", "--tensorflow", "tree", f"--define={define}", "-o", "t.json") == 2
    assert f"{define!r} is not NAME or NAME=VALUE" in capsys.readouterr().err
    assert not Path("t.json").exists()


def test_index_and_custom_op(capsys: pytest.CaptureFixture[str]) -> None:
    trees.write(Path("tree"))
    Path("mine.cc").write_text(
        '#include "tensorflow/core/framework/op_kernel.h"\n'
        '#include "tensorflow/core/framework/op.h"\n'
        'REGISTER_OP("Mine").Output("y: float");\nREGISTER_KERNEL_BUILDER(Name("Mine").Device(DEVICE_CPU), MineOp);\n'
    )
    twice = node("t", "Twice", _FLOAT, inputs=["m"])
    Path("mine.pb").write_bytes(protos.graph(node("m", "Mine"), twice))
    assert _run("index", "--tensorflow", "tree", "--define", "A", "-o", "t.json") == 0
    assert json.loads(Path("t.json").read_text())["tensorflow"]["defines"] == ["A"]
    assert _run("select", "mine.pb", "--index", "t.json", "-o", "s.json") == 1
    assert (
        _run(
            "select",
            "mine.pb",
            "--index",
            "t.json",
            "--tensorflow",
            "tree",
            "--custom-op",
            "mine.cc",
            "-o",
            "s.json",
        )
        == 0
    )
    assert "mine.cc" in parse(Path("s.json").read_bytes(), "s").files
    assert (
        _run("select", "mine.pb", "--tensorflow", "tree", "--custom-op", "mine.cc", "-o", "s.json")
        == 0
    )
    assert _run("index", "--tensorflow", ".") == 2
    assert "not a TensorFlow source tree" in capsys.readouterr().err


_NEON = """\
#include "tensorflow/core/framework/op_kernel.h"
#if defined(__ARM_NEON)
REGISTER_KERNEL_BUILDER(Name("Fast").Device(DEVICE_CPU), FastOp);
#endif
"""
_FAST = {
    "tensorflow/core/kernels/fast_op.cc": _NEON,
    "tensorflow/core/ops/fast_ops.cc": 'REGISTER_OP("Fast");',
}


def test_target(capsys: pytest.CaptureFixture[str]) -> None:
    trees.write(Path("tree"), {**trees.FILES, **_FAST})
    Path("fast.pb").write_bytes(protos.graph(node("f", "Fast")))
    Path("macros.txt").write_text("#define __ARM_NEON 1\n")
    target = ("--target", "board", "--target-macros", "macros.txt")
    assert _run("index", "--tensorflow", "tree", "--define", "A", *target, "-o", "arm.json") == 0
    assert json.loads(Path("arm.json").read_text())["tensorflow"]["target"] == "board"
    assert _run("select", "fast.pb", "--index", "arm.json", "-o", "s.json") == 0
    assert parse(Path("s.json").read_bytes(), "s.json").tensorflow.target == "board"
    assert _run("units", "s.json", "--units", "u", "--target", "board") == 0
    capsys.readouterr()
    assert _run("units", "s.json", "--units", "u", "--target", "other") == 2
    assert "is for the target board, the compile for other" in capsys.readouterr().err
    assert _run("select", "fast.pb", "--index", "arm.json", "--target", "other") == 2
    assert "arm.json: for the target board, not other" in capsys.readouterr().err

    Path("none.txt").write_text("#define __ANY__ 1\n")
    other = ("--target", "other", "--target-macros", "none.txt")
    assert _run("select", "fast.pb", "--tensorflow", "tree", *other) == 1
    assert "op 'Fast': no CPU kernel" in capsys.readouterr().err


def test_incomplete_target(capsys: pytest.CaptureFixture[str]) -> None:
    trees.write(Path("tree"))
    assert _run("index", "--tensorflow", "tree", "--target", "board") == 2
    assert "--target and --target-macros: pass both or none" in capsys.readouterr().err
    assert _run("index", "--tensorflow", "tree", "--target", "b", "--target-macros", "gone") == 2
    assert "gone: no such file" in capsys.readouterr().err


def test_custom_op_for_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    trees.write(Path("tree"), {**trees.FILES, **_FAST})
    Path("mine.cc").write_text(_NEON.replace("Fast", "Mine") + 'REGISTER_OP("Mine");\n')
    Path("mine.pb").write_bytes(protos.graph(node("m", "Mine")))
    Path("macros.txt").write_text("#define __ARM_NEON 1\n")
    target = ("--target", "board", "--target-macros", "macros.txt")
    assert _run("index", "--tensorflow", "tree", *target, "-o", "arm.json") == 0
    select = (
        "select",
        "mine.pb",
        "--index",
        "arm.json",
        "--tensorflow",
        "tree",
        "--custom-op",
        "mine.cc",
    )
    assert _run(*select, *target, "-o", "s.json") == 0
    assert "mine.cc" in parse(Path("s.json").read_bytes(), "s.json").files
    assert _run(*select, "-o", "s.json") == 2
    assert "the index is for the target board, not for host" in capsys.readouterr().err


def test_tree_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    trees.write(Path("tree"))
    Path("nothing.pb").write_bytes(protos.graph(node("n", "NoOp")))
    monkeypatch.setenv("TFCARVE_TENSORFLOW", "tree")
    assert _run("select", "nothing.pb", "-o", "s.json") == 0


def test_unavailable_pinned_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    release = dataclasses.replace(known.release(), folder=Path().absolute())
    monkeypatch.setattr(pinned, "module_root", lambda: Path().absolute())
    with pytest.raises(InvalidInput, match="no TensorFlow source tree: pass --tensorflow"):
        pinned.tree(release)
    Path("tools/bootstrap").mkdir(parents=True)
    Path("pins.json").write_text('{"tensorflow": {"version": "9.8.7"}}')
    with pytest.raises(
        InvalidInput,
        match="could not get the sources of TensorFlow 9.8.7:(?s:.*)pass a source tree",
    ):
        pinned.tree(release)


def test_damaged_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tools/bootstrap").mkdir(parents=True)
    Path("pins.json").write_text('{"tensorflow": {"version": 2}}')
    release = dataclasses.replace(known.release(), folder=Path())
    monkeypatch.setattr(pinned, "module_root", lambda: Path().absolute())
    with pytest.raises(InvalidInput, match=r"^pins\.json: Expected `str`, got `int`"):
        pinned.tree(release)


def test_cached_pinned_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("cache").absolute()))
    place = Path("cache/tfcarve/trees/tensorflow-2.14.1").absolute()
    place.mkdir(parents=True)
    (place / "tfcarve_source.json").write_text("{}")
    assert pinned.tree(known.release()) == place
