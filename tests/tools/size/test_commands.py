"""Tests of the size subcommands: output, files and exit status."""

import json
from collections.abc import Iterator
from pathlib import Path

import mini_library
import pytest
from mini_library import DOUBLE, FLOAT, Built
from size_reports import report

from tfcarve import cli


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """The library before and after a model with another data type was added."""
    folder = tmp_path_factory.mktemp("libraries")
    built = {}
    for name, selection in (
        ("old", mini_library.selection()),
        ("new", mini_library.selection(double=True)),
    ):
        built[name] = mini_library.build(folder / name, selection)
        (folder / name / "selection.json").write_bytes(selection.to_json())
    return built


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield


def _size(built: Built, *arguments: str) -> int:
    folder = built.folder
    files = [f"--map={built.map}", f"--selection={folder}/selection.json"]
    link = [f"--link={built.link}", f"--root={folder}"]
    return cli.main(["size", str(built.library), *files, *link, *arguments])


def test_added_data_type_is_named_with_its_model(
    libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]
) -> None:
    """The check fails for the added class, and names nothing else."""
    for name, built in libraries.items():
        assert _size(built, "-o", f"{name}.json") == 0
    assert cli.main(["size-check", "old.json", "--committed=sizes.json", "--update"]) == 0
    assert capsys.readouterr().out.startswith("Size: linux_x86_64 stripped ")
    assert cli.main(["size-check", "old.json", "--committed=sizes.json"]) == 0
    assert cli.main(["size-check", "new.json", "--committed=sizes.json"]) == 1
    output = capsys.readouterr().err
    classes = [line for line in output.splitlines() if ": class " in line]
    assert len(classes) == 1
    assert f"class {DOUBLE} (kernels/relu_op.cc) added: +" in classes[0]
    assert classes[0].endswith(", for b.pb")
    assert FLOAT not in output
    assert " op " not in output
    assert cli.main(["size-check", "new.json", "--committed=sizes.json", "--growth=20"]) == 0


def test_tables(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    assert _size(libraries["new"], "--by", "model") == 0
    output = capsys.readouterr().out
    assert "b.pb" in output
    assert "% attributed" in output.splitlines()[-1]
    for by in ("part", "file", "class", "op", "symbol"):
        assert _size(libraries["new"], "--by", by, "--json") == 0
        rows = json.loads(capsys.readouterr().out)
        assert sum(row["bytes"] for row in rows) == libraries["new"].library.stat().st_size


def test_page_and_comment(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    for name, built in libraries.items():
        assert _size(built, "-o", f"{name}.json") == 0
    folder = libraries["new"].folder
    marginal = ["size-marginal", f"{folder}/selection.json", "--link", f"{folder}/link.json"]
    assert cli.main([*marginal, "--root", str(folder), "--each", "model", "--json"]) == 0
    Path("marginal.json").write_text(capsys.readouterr().out)
    page = ["--html=r.html", "--since=old.json", "--marginal-sizes=marginal.json"]
    assert cli.main(["size", "new.json", *page]) == 0
    text = Path("r.html").read_text()
    assert "class added" in text
    assert "model:b.pb" in text
    assert cli.main(["size-comment", "--old", "old.json", "--new", "new.json", "-o", "c.md"]) == 0
    assert "class added" in Path("c.md").read_text()


def test_marginal_sizes(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    folder = libraries["new"].folder
    marginal = ["size-marginal", f"{folder}/selection.json", f"--link={folder}/link.json"]
    marginal.append(f"--root={folder}")
    assert cli.main([*marginal, "--without", f"class:{DOUBLE}"]) == 0
    saved = libraries["new"].library.stat().st_size - libraries["old"].library.stat().st_size
    assert capsys.readouterr().out.splitlines()[1].split()[0] == str(saved)
    assert cli.main(marginal) == 2
    assert "nothing to remove" in capsys.readouterr().err
    assert cli.main([*marginal, "--without", "op:Reluu"]) == 2
    assert "did you mean Relu" in capsys.readouterr().err


def test_prediction(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    """A library is measured, another predicted and built, and the prediction compared."""
    selections = {name: f"{b.folder}/selection.json" for name, b in libraries.items()}
    predict = ["size-predict", "--platform=linux_x86_64"]
    assert cli.main([*predict, selections["old"]]) == 2
    assert "has been measured yet" in capsys.readouterr().err
    assert _size(libraries["old"]) == 0
    capsys.readouterr()
    assert cli.main([*predict, selections["new"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["guessed"] == ["kernels/relu_op.cc"]
    assert _size(libraries["new"]) == 0
    capsys.readouterr()
    assert cli.main([*predict, selections["old"]]) == 0
    output = capsys.readouterr().out
    assert "earlier predictions: 1, off by at most " in output


def test_budgets_of_platforms_that_were_not_built(capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.json").write_bytes(report().to_json())
    Path("b.json").write_text('{"linux_arm64": {"gzip": 9000}, "linux_armv7": {"gzip": 1}}')
    check = ["size-check", "r.json", "--budgets=b.json"]
    assert cli.main(check) == 2
    assert "linux_armv7 has a budget but no report" in capsys.readouterr().err
    assert cli.main([*check, "--allow-missing"]) == 0
    assert "skipped: linux_armv7" in capsys.readouterr().out


def test_over_budget_without_committed_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.json").write_bytes(report().to_json())
    Path("b.json").write_text('{"linux_arm64": {"gzip": 1}}')
    assert cli.main(["size-check", "r.json", "--budgets=b.json"]) == 1
    assert "there are no committed sizes; the largest files are:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["size", "r.so"], "a library requires --map, --selection and --link"),
        (["size", "none.so"], "no such file"),
        (["size-check", "r.json", "--update"], "--update writes the file of --committed"),
        (["size-check", "r.so"], "expected a size report, which `tfcarve size` writes"),
        (
            ["size", "r.json", "--html=x", "--marginal-sizes=r.json"],
            "expected marginal sizes, which `tfcarve size-marginal --json` prints",
        ),
        (
            ["size", "r.json", "--html=x", "--marginal-sizes=p.json"],
            "saved: expected stripped, text, gzip - at `$[0]`",
        ),
        (["size", "half.json", "--html=x"], "half.json: JSON is malformed"),
        (["size", "empty.json"], "Expected `int` >= 1 - at `$.sizes"),
        (["size", "class.json", "--html=x"], "'SoftmaxOp' of kernels/softmax_op.cc is not among"),
        (["size-comment", "--old", "r.json", "r.json", "--new", "r.json"], "a second report"),
    ],
)
def test_bad_use(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.json").write_bytes(report().to_json())
    Path("r.so").write_bytes(b"\x7fELF")
    marginal = {"target": "op:Relu", "saved": {"text": 3}, "exact": True}
    lists: dict[str, list[str]] = {"dropped": [], "recompiled": [], "kept": []}
    Path("p.json").write_text(json.dumps([{**marginal, **lists}]))
    Path("half.json").write_bytes(report().to_json().replace(b'"a.pb"', b'"\\ud800"'))
    Path("empty.json").write_bytes(report(stripped=0).to_json())
    document = json.loads(report(softmax=9).to_json())
    document["kernels"] = [k for k in document["kernels"] if k["class"] != "SoftmaxOp"]
    Path("class.json").write_text(json.dumps(document))
    assert cli.main(arguments) == 2
    assert message in capsys.readouterr().err
    assert not Path("x").exists()


@pytest.mark.parametrize("percent", ["nan", "inf", "1e400", "1001", "-1", "a", ""])
@pytest.mark.parametrize("option", ["growth", "warning"])
def test_invalid_percentages(option: str, percent: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.json").write_bytes(report().to_json())
    assert cli.main(["size-check", "r.json", f"--{option}={percent}"]) == 2
    expected = f"argument --{option}: {percent!r}: expected a percentage from 0 to 1000"
    assert expected in capsys.readouterr().err


def test_invalid_link_json(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    selection = f"{libraries['new'].folder}/selection.json"
    for content, message in (
        ("", "output group `sizes`"),
        ('{"version": 2}', "Invalid enum value 2 - at `$.version`"),
        ('{"version": 3}', "output group `sizes`"),
        (libraries["new"].link.read_text(), "pass the folder of its paths with --root"),
    ):
        Path("link.json").write_text(content)
        marginal = ["size-marginal", selection, "--link=link.json", "--without=op:Relu"]
        assert cli.main([*marginal, "--root=."]) == 2
        assert message in capsys.readouterr().err
