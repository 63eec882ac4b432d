"""Tests of the subcommands: what they print and write, and their exit status."""

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
    """The library before and after a data type was planted into a model."""
    folder = tmp_path_factory.mktemp("libraries")
    made = {}
    for name, selection in (
        ("old", mini_library.selection()),
        ("new", mini_library.selection(double=True)),
    ):
        made[name] = mini_library.build(folder / name, selection)
        (folder / name / "selection.json").write_bytes(selection.to_json())
    return made


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


def test_planted_data_type_is_named_with_its_model(
    libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]
) -> None:
    """Two builds and one budget: it fails for the class that came in, and for nothing else."""
    for name, built in libraries.items():
        assert _size(built, "-o", f"{name}.json") == 0
    assert cli.main(["size-check", "old.json", "--committed=sizes.json", "--update"]) == 0
    assert capsys.readouterr().out.startswith("Size: linux_x86_64 stripped ")
    assert cli.main(["size-check", "old.json", "--committed=sizes.json"]) == 0
    assert cli.main(["size-check", "new.json", "--committed=sizes.json"]) == 1
    said = capsys.readouterr().err
    classes = [line for line in said.splitlines() if ": class " in line]
    assert len(classes) == 1
    assert f"class {DOUBLE} (kernels/relu_op.cc) came in: +" in classes[0]
    assert classes[0].endswith(", for b.pb")
    assert FLOAT not in said
    assert " op " not in said
    assert cli.main(["size-check", "new.json", "--committed=sizes.json", "--growth=20"]) == 0


def test_tables(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    assert _size(libraries["new"], "--by", "model") == 0
    said = capsys.readouterr().out
    assert "b.pb" in said
    assert "% attributed" in said.splitlines()[-1]
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
    Path("marginal_sizes.json").write_text(capsys.readouterr().out)
    page = ["--html=r.html", "--since=old.json", "--marginal_sizes=marginal_sizes.json"]
    assert cli.main(["size", "new.json", *page]) == 0
    text = Path("r.html").read_text()
    assert "class came in" in text
    assert "model:b.pb" in text
    assert cli.main(["size-comment", "--old", "old.json", "--new", "new.json", "-o", "c.md"]) == 0
    assert "class came in" in Path("c.md").read_text()


def test_marginal_sizes(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    folder = libraries["new"].folder
    marginal = ["size-marginal", f"{folder}/selection.json", f"--link={folder}/link.json"]
    marginal.append(f"--root={folder}")
    assert cli.main([*marginal, "--without", f"class:{DOUBLE}"]) == 0
    saved = libraries["new"].library.stat().st_size - libraries["old"].library.stat().st_size
    assert capsys.readouterr().out.splitlines()[1].split()[0] == str(saved)
    assert cli.main(marginal) == 2
    assert "nothing to leave out" in capsys.readouterr().err
    assert cli.main([*marginal, "--without", "op:Reluu"]) == 2
    assert "did you mean Relu" in capsys.readouterr().err


def test_prediction(libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]) -> None:
    """Measured, predicted, built, and held against what it came to."""
    selections = {name: f"{b.folder}/selection.json" for name, b in libraries.items()}
    predict = ["size-predict", "--platform=linux_x86_64"]
    assert cli.main([*predict, selections["old"]]) == 2
    assert "was measured yet" in capsys.readouterr().err
    assert _size(libraries["old"]) == 0
    capsys.readouterr()
    assert cli.main([*predict, selections["new"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["guessed"] == ["kernels/relu_op.cc"]
    assert _size(libraries["new"]) == 0
    capsys.readouterr()
    assert cli.main([*predict, selections["old"]]) == 0
    said = capsys.readouterr().out
    assert "past predictions: 1, off by " in said


def test_budgets_of_platforms_that_were_not_built(capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.json").write_bytes(report().to_json())
    Path("b.json").write_text('{"linux_arm64": {"gzip": 9000}, "linux_armv7": {"gzip": 1}}')
    check = ["size-check", "r.json", "--budgets=b.json"]
    assert cli.main(check) == 2
    assert "no report of linux_armv7" in capsys.readouterr().err
    assert cli.main([*check, "--not-all"]) == 0
    assert "skipped: linux_armv7" in capsys.readouterr().out


def test_over_budget_without_committed_figures(capsys: pytest.CaptureFixture[str]) -> None:
    Path("r.json").write_bytes(report().to_json())
    Path("b.json").write_text('{"linux_arm64": {"gzip": 1}}')
    assert cli.main(["size-check", "r.json", "--budgets=b.json"]) == 1
    assert "no figures are committed; its largest files:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["size", "r.so"], "a library needs --map, --selection and --link"),
        (["size", "none.so"], "no such file"),
        (["size-check", "r.json", "--update"], "--update writes the file that --committed names"),
        (["size-check", "r.so"], "make it with `tfcarve size`"),
        (["size", "r.json", "--html=x", "--marginal_sizes=r.json"], "no marginal_sizes"),
        (
            ["size", "r.json", "--html=x", "--marginal_sizes=p.json"],
            "no marginal_sizes: saved: stripped, text, gzip",
        ),
        (["size", "half.json", "--html=x"], "unpaired surrogate"),
        (["size", "empty.json"], "a library has more than 0 bytes"),
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
def test_percentages_that_are_none(
    option: str, percent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("r.json").write_bytes(report().to_json())
    assert cli.main(["size-check", "r.json", f"--{option}={percent}"]) == 2
    expected = f"argument --{option}: {percent!r}: a number of percent from 0 to 1000 was expected"
    assert expected in capsys.readouterr().err


def test_link_json_that_is_none(
    libraries: dict[str, Built], capsys: pytest.CaptureFixture[str]
) -> None:
    selection = f"{libraries['new'].folder}/selection.json"
    for content, message in (
        ("", "output group `sizes`"),
        ('{"version": 1}', "no link.json of version 2"),
        ('{"version": 2}', "output group `sizes`"),
        (libraries["new"].link.read_text(), "name the folder it is under with --root"),
    ):
        Path("link.json").write_text(content)
        marginal = ["size-marginal", selection, "--link=link.json", "--without=op:Relu"]
        assert cli.main([*marginal, "--root=."]) == 2
        assert message in capsys.readouterr().err
