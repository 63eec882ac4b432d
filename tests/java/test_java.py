"""Tests of the Java classes with a carved library, in the Java virtual machine of this machine."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import extent
from built import published
from java import kotlin

_ROOT = Path(os.environ.get("RUNFILES_DIR", "")) / "_main"
_HERE = _ROOT / "tests/java"
_NATIVES = _ROOT / "tools/runtime/java/natives.cc"
_CORE = "libtensorflow-core.so"
# Sessions that are made, run once and freed.
_RUNS = extent.of(2_000, 10_000)
_MOST_KILOBYTES = 8 << 10
# A wrong use of the Java Native Interface is reported on the standard output. Little memory: the virtual machine itself grows to
# its limits.
_CHECKED = ("-Xcheck:jni", "-Xmx32m", "-XX:MaxDirectMemorySize=32m")
_REPORTS = re.compile(r"^(?:WARNING|FATAL ERROR)\b.*$", re.MULTILINE)


def _command(*words: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(words, check=False, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _linked(source: Path, folder: Path) -> Path:
    """Links the native methods with the library, as libtensorflow_inference.so in a folder."""
    jdk = Path(shutil.which("javac") or "").resolve().parents[1]
    folder.mkdir()
    library = published.of("shared").named("//shared:library")[_CORE].resolve()
    includes = (f"-I{_ROOT}", f"-I{jdk}/include", f"-I{jdk}/include/linux")
    flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", *includes)
    output = folder / "libtensorflow_inference.so"
    _command("g++", *flags, source, library, f"-Wl,-rpath,{library.parent}", "-o", output)
    return folder


@pytest.fixture(name="classes", scope="module")
def _classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("java")
    sources = sorted((_ROOT / "tools/java").rglob("*.java"))
    stubs = sorted((_ROOT / "tools/android/stubs").rglob("*.java"))
    flags = ("-encoding", "UTF-8", "-Xlint:all,-options", "-Werror")
    _command("javac", *flags, "-d", folder, _HERE / "RunModels.java", *sources, *stubs)
    return folder


@pytest.fixture(name="natives", scope="module")
def _natives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _linked(_NATIVES, tmp_path_factory.mktemp("natives") / "right")


def _run(classes: Sequence[Path], natives: Path, main: str, *arguments: str) -> str:
    models = published.of("shared").models / "c_api"
    path = ":".join(map(str, classes))
    options = (*_CHECKED, "-Dfile.encoding=UTF-8", f"-Djava.library.path={natives}", "-cp", path)
    return _command("java", *options, main, models, *arguments)


def _values(output: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in output.splitlines() if "=" in line)


@pytest.fixture(name="output", scope="module")
def _output(classes: Path, natives: Path) -> str:
    return _run([classes], natives, "RunModels", str(_RUNS))


@pytest.fixture(name="found", scope="module")
def _found(output: str) -> Mapping[str, str]:
    return _values(output)


def test_values(found: Mapping[str, str]) -> None:
    y = "[10.0, 13.0, 28.0, 40.0]"
    assert found["y"] == found["odd"] == found["heap"] == y
    assert found["y.shape"] == "[2, 2]"
    assert (found["top"], found["names"], found["all"]) == ("[1, 1]", "[y, top:1]", "[top, top:1]")
    assert found["empty"] == "TfTensor(float32, [0, 2])"
    assert found["inputs"] == "[x (FLOAT32, any shape)]"
    assert (found["count"], found["fill"]) == ("[7]", "[1.0, 1.0]")
    assert found["trace"] == found["table"] == found["manifest"] == "true"
    assert found["loaded"] == str(["TfTensor(float32, [2, 2])"] * 3).replace("'", "")
    assert found["threads"] == f"{{{y}=64}}"


def test_strings(found: Mapping[str, str]) -> None:
    assert found["joined"] == "[a!, !, é0b!]"
    assert found["many"] == "5000"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gone", "NOT_FOUND//gone.pb: "),
        ("no graph", "INVALID_ARGUMENT//"),
        ("no file", "NullPointerException/file"),
        ("heap graph", "IllegalArgumentException/graph is not a direct buffer: use fromBytes"),
        ("threads", "IllegalArgumentException/threads is 2000: expected 0 to 1024"),
        ("short", "IllegalArgumentException/the shape [1, 4] has 4 elements of float32, but there are 3"),
        ("negative", "IllegalArgumentException/a size of [-1] is negative"),
        ("huge", f"IllegalArgumentException/the shape [{2**63 - 1}, 3] has {2**63 - 1} elements"),
        ("no values", "NullPointerException/values"),
        ("no element", "NullPointerException/an element"),
        ("bytes", "IllegalArgumentException/6 bytes are not a multiple of the size of float32"),
        ("type", "IllegalStateException/TfTensor(float32, [2, 2]) is not of INT32, so it has no ints()"),
        ("strings", "IllegalStateException/TfTensor(float32, [2, 2]) has no strings"),
        ("shape", "INVALID_ARGUMENT/y/"),
        ("dtype", "INVALID_ARGUMENT//input 'x'"),
        ("input", "INVALID_ARGUMENT//Tensor z:0"),
        ("output", "INVALID_ARGUMENT//Tensor z:0"),
        ("null input", "NullPointerException/input x"),
        ("null output", "NullPointerException/name of an output"),
        ("name", "IllegalArgumentException/a name contains the character U+0000"),
        ("closed", "IllegalStateException/the session is closed"),
        ("memory", "RESOURCE_EXHAUSTED/y/"),
        ("deadline", "DEADLINE_EXCEEDED/"),
        ("cancelled", "CANCELLED/"),
        ("fetch short", "IllegalArgumentException/y has 4 elements, but there is room for 3"),
        ("fetch other", "IllegalArgumentException/top:1 is not an output of the last run"),
    ],
)  # fmt: skip
def test_errors(found: Mapping[str, str], name: str, expected: str) -> None:
    assert found[f"error {name}"].startswith(expected)


def test_inference_interface(found: Mapping[str, str]) -> None:
    assert found["fetched"] == "[10.0, 13.0, 28.0, 40.0][1, 1]"
    assert found["buffer"] == "[10.0, 13.0, 28.0, 40.0, 0.0]"
    assert found["stats"] == "true"


def test_memory_is_freed(found: Mapping[str, str]) -> None:
    assert int(found["grown"]) < _MOST_KILOBYTES


def test_uses_of_the_native_interface_are_right(output: str) -> None:
    assert _REPORTS.findall(output) == []


def test_wrong_uses_of_the_native_interface_are_found(classes: Path, tmp_path: Path) -> None:
    """A control: thousands of local references that nothing frees."""
    text = _NATIVES.read_text(encoding="utf-8")
    freed = "    env->DeleteLocalRef(bytes);\n"
    assert freed in text
    source = tmp_path / "natives.cc"
    source.write_text(text.replace(freed, ""), encoding="utf-8")
    output = _run([classes], _linked(source, tmp_path / "wrong"), "RunModels", "2")
    assert "JNI local refs" in " ".join(_REPORTS.findall(output))


@pytest.mark.skipif(not extent.IS_FULL, reason="the compiler has 80 MB")
def test_kotlin(classes: Path, natives: Path, tmp_path: Path) -> None:
    kotlin.compile_program(_HERE / "run_models.kt", classes, tmp_path)
    output = _run([classes, tmp_path, kotlin.standard_library()], natives, "Run_modelsKt")
    assert _REPORTS.findall(output) == []
    assert _values(output) == {
        "y": "[10.0, 13.0, 28.0, 40.0]",
        "short": "the shape [1, 3] has 3 elements of float32, but there are 1",
        "status": "INVALID_ARGUMENT",
    }
