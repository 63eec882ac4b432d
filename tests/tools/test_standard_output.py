"""Tests of outputs that are standard output (`-`, `/dev/stdout`), a pipe or a symbolic link."""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import indexes
import protos
import pytest
from protos import node
from size_reports import report

from tfcarve import cli, commands, files

_FLOAT = {"T": protos.type_value("float32"), "dtype": protos.type_value("float32")}
_VALUE = {**_FLOAT, "value": protos.tensor_value("float32", (1024,), bytes(4096))}
_GRAPH = protos.graph(node("c", "Const", _VALUE), node("n", "NoOp"))
# Commands without -o and its argument; and what they print if the output is a file.
_WITH_REPORT = {
    "memmap": (("memmap", "m.pb"), "1 constants with 4,096 bytes are aligned\n"),
    "transform": (
        ("transform", "m.pb", "--outputs", "c", "--transforms", "remove_device"),
        "2 nodes, ",
    ),
    "freeze": (("freeze", "m.pb"), "m.pb: is already frozen: copied unchanged\n"),
}
_WITHOUT_REPORT = {
    "select": ("select", "m.pb", "--index", "index.json"),
    "header": ("header", "s.json"),
    "op-files": ("op-files", "s.json"),
    "size": ("size", "report.json"),
    "size-comment": ("size-comment", "--old", "report.json", "--new", "report.json"),
}
_COMMANDS = {**{name: words for name, (words, _) in _WITH_REPORT.items()}, **_WITHOUT_REPORT}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Changes to a folder with the inputs of the commands, and returns it."""
    monkeypatch.chdir(tmp_path)
    Path("index.json").write_bytes(indexes.INDEX.to_json())
    Path("m.pb").write_bytes(_GRAPH)
    Path("report.json").write_bytes(report().to_json())
    assert cli.main(["select", "m.pb", "--index", "index.json", "-o", "s.json"]) == 0
    return tmp_path


def _expected(words: Sequence[str]) -> bytes:
    """Returns what a command writes to a file."""
    assert cli.main([*words, "-o", "file"]) == 0
    data = Path("file").read_bytes()
    Path("file").unlink()
    return data


def _process(*words: str, stdout: int = subprocess.PIPE) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "tfcarve", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=stdout,
        stderr=subprocess.PIPE,
        check=False,
    )


@pytest.mark.parametrize("name", _COMMANDS)
def test_a_dash_is_standard_output(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    expected = _expected(_COMMANDS[name])
    before = {path.name for path in Path().iterdir()}
    capfdbinary.readouterr()
    assert cli.main([*_COMMANDS[name], "-o", "-"]) == 0
    out, err = capfdbinary.readouterr()
    assert out == expected
    assert {path.name for path in Path().iterdir()} == before
    if name in _WITH_REPORT:
        assert _WITH_REPORT[name][1].encode() in err


@pytest.mark.parametrize("name", _WITH_REPORT)
def test_a_report_about_a_file_is_on_standard_output(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words, text = _WITH_REPORT[name]
    assert cli.main([*words, "-o", "file"]) == 0
    out, err = capfd.readouterr()
    assert text in out
    assert not err


@pytest.mark.parametrize("place", ["-", "/dev/stdout", "/dev/fd/1", "link"])
def test_standard_output_of_a_process(place: str) -> None:
    words, text = _WITH_REPORT["memmap"]
    expected = _expected(words)
    Path("link").symlink_to("/dev/stdout")
    special = Path("/dev/stdout")
    before = os.lstat(special), special.readlink() if special.is_symlink() else None
    piped = _process(*words, "-o", place)
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, expected, text.encode())
    with Path("redirected").open("wb") as stream:
        stream.write(b"before\n")
        stream.flush()
        redirected = _process(*words, "-o", place, stdout=stream.fileno())
        stream.write(b"after\n")
    assert redirected.stderr == text.encode()
    assert Path("redirected").read_bytes() == b"before\n" + expected + b"after\n"
    assert Path("link").is_symlink()
    assert (
        os.lstat(special).st_ino,
        special.readlink() if special.is_symlink() else None,
    ) == (before[0].st_ino, before[1])


def test_a_reader_that_stops_is_not_an_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = _process(*_COMMANDS["memmap"], "-o", "-", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", _COMMANDS)
def test_a_pipe(name: str) -> None:
    expected = _expected(_COMMANDS[name])
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(Path("pipe").read_bytes)
        assert cli.main([*_COMMANDS[name], "-o", "pipe"]) == 0
        assert read.result(60) == expected
    assert Path("pipe").is_fifo()


def test_the_size_of_a_graph_in_a_pipe_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    words, _ = _WITH_REPORT["transform"]
    os.mkfifo("pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(Path("pipe").read_bytes)
        assert cli.main([*words, "-o", "pipe"]) == 0
        size = len(read.result(60))
    assert f"-> 2 nodes, {size:,} bytes" in capfd.readouterr().out


def test_a_symbolic_link() -> None:
    expected = _expected(_COMMANDS["header"])
    Path("link").symlink_to("target")
    assert cli.main([*_COMMANDS["header"], "-o", "link"]) == 0
    assert Path("link").is_symlink()
    assert Path("target").read_bytes() == expected


def test_other_options(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["size", "report.json", "--html", "page.html", "-o", "-"]) == 0
    out, _ = capfd.readouterr()
    assert out.encode() == report().to_json()
    assert cli.main(["size", "report.json", "--html", "-"]) == 0
    out, err = capfd.readouterr()
    assert out == Path("page.html").read_text()
    assert not err


def test_two_outputs_cannot_both_be_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["size", "report.json", "--html", "/dev/stdout", "-o", "-"]) == 2
    out, err = capfd.readouterr()
    assert not out
    assert err == (
        "tfcarve: --output and --html: both are standard output: pass a file to one of them\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("units", "s.json", "--units", "-"), "--units: - is standard output: a folder"),
        (("units", "s.json", "--units", "u", "--hot-units", "-"), "--hot-units: - is"),
        (("build", "m.pb", "-o", "-"), "-o/--output: - is standard output: a folder"),
        (("build", "m.pb", "--eject", "-"), "--eject: - is standard output: a folder"),
        (("golden", "m.pb", "--sample", "-"), "--sample: - is standard output: a folder"),
        (
            ("wheel", "a.so", "--name", "a", "-o", "-"),
            "-o/--output: - is standard output: a folder",
        ),
        (("include-tree", "a.h", "-o", "-"), "-o/--output: - is standard output: a folder"),
        (("xcframework", "x", "-o", "-"), "-o/--output: - is standard output: a folder"),
        (("graph", "m.pb", "--tensorboard", "-"), "--tensorboard: - is standard output: a folder"),
        (
            ("graph", "m.pb", "-o", "-"),
            "-o/--output: - is standard output: the suffix of the name selects the format",
        ),
        (
            ("link-facts", "f.json", "--selection", "s.json", "-o", "a.mk", "-o", "-"),
            "-o/--output: - is standard output: the name of a file selects its content",
        ),
        (
            ("private-symbols", "--archive", "a.a", "b.a", "--archive", "c.a", "-"),
            "--archive: - is standard output: several libraries can be written",
        ),
        (
            (
                "optional-sources",
                "s.json",
                "--objects",
                "o",
                "--sources",
                "-",
                "--third-party",
                "t",
            ),
            "--sources: - is standard output: a folder",
        ),
        (("golden", "m.pb", "--output", "r=-"), "--output r=-: - is standard output, which cannot"),
        (("op-files", "s.json", "--extend", "-"), "--extend: - is standard output: the list is"),
        (
            ("size-check", "report.json", "--committed", "-", "--update"),
            "--committed: - is standard output: the file is read",
        ),
        (("protect", "--new-key", "-"), "--new-key: - is standard output: only the key's owner"),
    ],
)
def test_other_outputs_refuse_a_dash(
    words: Sequence[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = {path.name for path in Path().iterdir()}
    assert cli.main(words) == 2
    out, err = capfd.readouterr()
    assert not out
    assert message in err
    assert "pass a name" in err
    assert {path.name for path in Path().iterdir()} == before


def _undecided(actions: Sequence[argparse.Action]) -> list[str]:
    """Returns the options that name what is written, but do not say whether `-` is standard output."""
    return [
        action.dest
        for action in actions
        if action.type is Path
        and (
            action.dest == "output" or (action.help or "").startswith(("writes", "where to write"))
        )
    ]


def test_each_output_option_decides_about_a_dash() -> None:
    (subcommands,) = (
        action for action in cli.parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    parsers: Mapping[str, argparse.ArgumentParser] = subcommands.choices
    assert set(parsers) == set(commands.NAMES)
    assert {name: found for name, p in parsers.items() if (found := _undecided(p._actions))} == {}


@pytest.mark.parametrize(
    ("parse", "text", "is_undecided"),
    [(Path, "writes a page", True), (str, "writes a page", False), (Path, "a page", False)],
)
def test_an_undecided_option_is_found(
    parse: Callable[[str], object], text: str, is_undecided: bool
) -> None:
    action = argparse.Action(["--page"], "page", type=parse, help=text)  # type: ignore[arg-type]
    assert bool(_undecided([action])) == is_undecided


@pytest.mark.parametrize(
    ("path", "is_it"),
    [
        ("/dev/stdout", True),
        ("/dev/../dev/fd/1", True),
        ("/proc/self/fd/1", True),
        ("/dev/stderr", False),
        ("/dev/fd/2", False),
        ("-", False),
        ("loop", False),
        ("gone/stdout", False),
    ],
)
def test_is_standard_output(path: str, is_it: bool) -> None:
    Path("loop").symlink_to("loop")
    assert files.is_standard_output(Path(path)) == is_it
