"""docs/prepare.md: the commands of Freeze run on models that TensorFlow creates, and print the output shown."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from effect_sources import REMOVED
from freeze_running import graph_of, run
from freeze_sources import checkpointed, two_signatures
from input_sources import classic

import examples
from tfcarve.models import read

pytest_plugins = ["forked", "in_process"]

# What a command of the table of sources creates from the files in its folder.
_WORDS = re.compile(r"\b(DIR|G\.pb|M\.keras|M\.meta|PREFIX|F\.pb|softmax)\b")


def _page() -> str:
    page = examples.runfile("PREPARE_MD", "docs/prepare.md").read_text(encoding="utf-8")
    return examples.section(page, "Freeze")


@pytest.fixture(name="digits", scope="module")
def _digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models that the page's Python code saves."""
    folder = tmp_path_factory.mktemp("digits")
    (code,) = (text for kind, text in examples.blocks(_page()) if kind == "python")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(code, "prepare.md", "exec"), {})
    return folder


@pytest.mark.usefixtures("forked")
def test_output_of_commands(
    digits: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(digits)
    found = list(examples.paired(examples.blocks(_page())))
    assert [command for commands, _ in found for command in commands] == [
        "tfcarve freeze digits.keras -o digits.pb",
        "tfcarve inspect digits.pb",
    ]
    for (command,), shown in found:
        assert examples.run(command) == 0
        examples.require_shown(shown, capsys.readouterr().out)
    assert not graph_of(Path("digits.pb").read_bytes()).library.function
    (same,) = re.findall(r"^`(tfcarve freeze .*?)` freezes the SavedModel", _page(), re.MULTILINE)
    before = Path("digits.pb").read_bytes()
    assert " digits " in same and examples.run(same) == 0
    assert "output_0" in capsys.readouterr().out
    found_ops = [
        sorted(n.op for n in graph_of(data).node)
        for data in (before, Path("digits.pb").read_bytes())
    ]
    assert found_ops[0] == found_ops[1]


def _commands() -> dict[str, str]:
    """The commands of the table of sources, by the source."""
    rows = re.findall(r"^\| ([^|]+) \| `(tfcarve [^`]+)`[^|]*\|$", _page(), re.MULTILINE)
    return dict(rows)


def _variants(command: str) -> list[str]:
    """A command without its optional parts, and with them; once if it has none."""
    found = [re.sub(r" \[[^]]*\]", "", command), command.replace("[", "").replace("]", "")]
    return list(dict.fromkeys(found))


def _run_in(folder: Path, command: str, files: dict[str, str]) -> bytes:
    """Runs a command whose placeholders stand for files; returns the frozen graph."""
    output = folder / "frozen.pb"
    output.unlink(missing_ok=True)
    named = {"F.pb": str(output), "softmax": "scores", **files}
    line = _WORDS.sub(lambda word: named[word[1]], command)
    assert examples.run(line) == 0, line
    return output.read_bytes()


@pytest.mark.usefixtures("in_process")
def test_sources(digits: Path, tmp_path: Path) -> None:
    commands = _commands()
    graph = checkpointed(tmp_path / "graph", True)
    meta = checkpointed(tmp_path / "meta", False, meta=True)
    files = {
        "SavedModel of TensorFlow 1 or 2": {"DIR": str(two_signatures(tmp_path / "saved"))},
        "Keras file of Keras 2 or 3": {"M.keras": str(digits / "digits.keras")},
        "GraphDef and checkpoint": {"G.pb": str(graph.path), "PREFIX": graph.options["checkpoint"]},
        "MetaGraphDef and checkpoint": {
            "M.meta": str(meta.path),
            "PREFIX": meta.options["checkpoint"],
        },
    }
    assert commands.keys() == files.keys()
    frozen = {}
    for source, command in commands.items():
        for variant in _variants(command):
            data = frozen[source] = _run_in(tmp_path, variant, files[source])
            assert not {node.op for node in graph_of(data).node} & {"VariableV2", "VarHandleOp"}
    for source, created in (
        ("GraphDef and checkpoint", graph),
        ("MetaGraphDef and checkpoint", meta),
    ):
        scores = run(frozen[source], created.feeds, ["scores"])["scores"]
        assert abs(scores - created.expected["scores"]).max() < 1e-6


@pytest.mark.usefixtures("in_process")
def test_other_forms_of_the_sources(tmp_path: Path, digits: Path) -> None:
    """The remarks of the table: .h5 and .pbtxt, and graphs that are already frozen."""
    commands = _commands()
    graph = checkpointed(tmp_path / "graph", True)
    text = graph.path.with_suffix(".pbtxt")
    text.write_text(str(graph_of(graph.path.read_bytes())))
    files = {"G.pb": str(text), "PREFIX": graph.options["checkpoint"]}
    frozen = _run_in(tmp_path, commands["GraphDef and checkpoint"], files)
    assert "scores" in {node.name for node in graph_of(frozen).node}

    same = tmp_path / "same.pb"
    shutil.copy(tmp_path / "frozen.pb", same)
    output = tmp_path / "again.pb"
    assert examples.run(f"tfcarve freeze {same} -o {output}") == 0
    assert output.read_bytes() == same.read_bytes()
    assert examples.run(f"tfcarve freeze {same} -o {output} --outputs x") == 0
    assert len(read.read(output).nodes) == 1 < len(read.read(same).nodes)


def _shown(word: str) -> str:
    """The command with placeholders that contains `word`."""
    (command,) = (
        text.strip()
        for kind, text in examples.blocks(_page())
        if kind == "text" and text.startswith("tfcarve ") and word in text
    )
    return command


@pytest.mark.usefixtures("in_process")
def test_other_commands_freeze_first(tmp_path: Path) -> None:
    command = _shown("transform")
    graph = checkpointed(tmp_path / "graph", False)
    files = {"G.pb": str(graph.path), "PREFIX": graph.options["checkpoint"]}
    prepared = _run_in(tmp_path, command, files)
    scores = run(prepared, graph.feeds, ["scores"])["scores"]
    assert abs(scores - graph.expected["scores"]).max() < 1e-6


@pytest.mark.usefixtures("in_process")
def test_constants(tmp_path: Path) -> None:
    model = classic(tmp_path / "graph", True)
    files = {"G.pb": str(model.path), "PREFIX": model.options["checkpoint"], "softmax": "y"}
    frozen = _run_in(tmp_path, _shown("--constant"), files)
    assert not {node.op for node in graph_of(frozen).node} & {"Switch", "Merge"}
    assert abs(run(frozen, model.feeds, ["y"])["y"] - model.expected["y"]).max() < 1e-6


@pytest.mark.usefixtures("in_process")
def test_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (note,) = (text for _, text in examples.blocks(_page()) if text.startswith("tfcarve: note: "))
    source = REMOVED["counter"][0](tmp_path / "m")
    assert examples.run(f"tfcarve freeze {source.path} -o {tmp_path / 'f.pb'}") == 0
    assert capsys.readouterr().err == note
