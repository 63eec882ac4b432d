"""Tests of AARs, with small classes and libraries, and with the classes of carved libraries."""

import io
import os
import re
import shutil
import zipfile
from pathlib import Path

import clang
import pytest
import trees

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.package.aar import aar
from tfcarve.package.java import Classes, compiled, sources_jar

_JAVAC = Path(shutil.which("javac") or "javac")
_STUB = "package android.util; public class Log { public static int i(String t) { return 0; } }"
_CLASS = """
package org.t;
public class T {
  static { System.loadLibrary("t"); }
  private static native int count();
  public static int twice() { android.util.Log.i("t"); return 2 * count() + Used.one(); }
}
"""
_USED = "package org.t; class Used { static int one() { return 1; } static native int eager(); }"
_LIBRARY = """
#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT int Java_org_t_T_count() { return 1; }
"""
_EAGER = "EXPORT int Java_org_t_Used_eager() { return 1; }"


@pytest.fixture(name="java")
def _java(tmp_path: Path) -> Path:
    for path, text in {
        "src/org/t/T.java": _CLASS,
        "src/org/t/Used.java": _USED,
        "stubs/android/util/Log.java": _STUB,
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return tmp_path


def _classes(java: Path) -> Classes:
    return compiled(
        _JAVAC,
        [java / "src/org/t/T.java", java / "src/org/t/Used.java"],
        [java / "stubs/android/util/Log.java"],
    )


def _library(folder: Path, target: str, source: str = _LIBRARY + _EAGER, *flags: str) -> bytes:
    one = clang.compiled(folder, target, source, "lib", "-fPIC")
    output = folder / "lib.so"
    fit = ("-Wl,-soname,libt.so", "-Wl,-z,max-page-size=16384", "-Wl,-z,relro,-z,now")
    common = (f"--target={target}", "-fuse-ld=lld", "-nostdlib", "-shared", "-Wl,--build-id=sha1")
    clang.run("clang", *common, *fit, *flags, one, "-o", output)
    return output.read_bytes()


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_classes(java: Path) -> None:
    classes = _classes(java)
    # The jar does not have Android's classes.
    assert sorted(_members(classes.jar)) == ["org/t/T.class", "org/t/Used.class"]
    assert classes.natives == {"Java_org_t_T_count", "Java_org_t_Used_eager"}
    assert _classes(java) == classes
    # The class file format of Java 8.
    assert _members(classes.jar)["org/t/T.class"][4:8] == bytes((0, 0, 0, 52))


def test_javac_that_fails_or_is_missing(java: Path) -> None:
    with pytest.raises(InvalidInput, match=r"failed:(.|\n)*package android\.util does not exist"):
        compiled(_JAVAC, [java / "src/org/t/T.java"], [])
    with pytest.raises(InvalidInput, match="no_such_javac: cannot be run"):
        compiled(java / "no_such_javac", [], [])


def test_aar(java: Path) -> None:
    libraries = {
        "arm64-v8a": _library(java, "aarch64-linux-android24"),
        "armeabi-v7a": _library(java, "armv7a-linux-androideabi24"),
    }
    data = aar(
        package="org.t.lib",
        api_level=24,
        classes=_classes(java),
        libraries=libraries,
        file_name="libt.so",
    )
    inside = _members(data)
    assert sorted(inside) == [
        "AndroidManifest.xml",
        "R.txt",
        "classes.jar",
        "jni/arm64-v8a/libt.so",
        "jni/armeabi-v7a/libt.so",
        "proguard.txt",
    ]
    assert inside["jni/arm64-v8a/libt.so"] == libraries["arm64-v8a"]
    assert b'package="org.t.lib"' in inside["AndroidManifest.xml"]
    assert b'minSdkVersion="24"' in inside["AndroidManifest.xml"]


def test_native_methods_without_a_function_are_rejected(java: Path) -> None:
    classes = _classes(java)
    libraries = {"x86_64": _library(java, "x86_64-linux-android24", _LIBRARY)}
    with pytest.raises(InvalidInput) as refused:
        aar(
            package="org.t.lib",
            api_level=24,
            classes=classes,
            libraries=libraries,
            file_name="libt.so",
        )
    assert "does not export the native method Java_org_t_Used_eager" in str(refused.value)
    assert "Java_org_t_T_count" not in str(refused.value)


def test_all_problems_are_reported_at_once(java: Path) -> None:
    libraries = {
        "arm64-v8a": _library(java, "armv7a-linux-androideabi24"),
        "x86": _library(
            java, "i686-linux-android24", _LIBRARY + _EAGER, "-Wl,-z,max-page-size=4096"
        ),
    }
    with pytest.raises(InvalidInput) as refused:
        aar(
            package="org.t.lib",
            api_level=24,
            classes=_classes(java),
            libraries=libraries,
            file_name="libt.so",
        )
    first, second = str(refused.value).split("\n  ")[1:]
    assert first.startswith("jni/arm64-v8a/libt.so: is for armv7 (32 bits)")
    assert second.startswith("jni/x86/libt.so: its segments are aligned to 4096 bytes")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["arm64=lib.so", "--package=org.t"],
            "'arm64' is not an ABI: expected one of arm64-v8a, armeabi-v7a",
        ),
        (["lib.so", "--package=org.t"], "expected ABI=LIBRARY, each ABI once"),
        (["x86=lib.so", "x86=lib.so", "--package=org.t"], "expected ABI=LIBRARY, each ABI once"),
        (["x86=no_such.so", "--package=org.t"], "no_such.so: no such file"),
        (["x86=lib.so", "--package=t"], "is not a qualified Java package name"),
        (["x86=lib.so", '--package=org.t" x="'], "is not a qualified Java package name"),
    ],
)
def test_invalid_arguments(
    java: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(java)
    _library(java, "i686-linux-android24")
    sources = [
        "--source=src/org/t/T.java",
        "--source=src/org/t/Used.java",
        "--stub=stubs/android/util/Log.java",
    ]
    assert main(["aar", *arguments, *sources, "--api-level=24", "-o", "t.aar"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("t.aar").exists()


def test_command(java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(java)
    _library(java, "i686-linux-android24")
    arguments = ["x86=lib.so", "--package=org.t", "--api-level=24", "--name=libt.so", "-o", "t.aar"]
    sources = [
        "--source=src/org/t/T.java",
        "--source=src/org/t/Used.java",
        "--stub=stubs/android/util/Log.java",
    ]
    assert main(["aar", *arguments, *sources]) == 0
    assert "jni/x86/libt.so" in _members(Path("t.aar").read_bytes())


def test_command_requires_a_java_compiler(
    java: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _library(java, "i686-linux-android24")
    monkeypatch.setenv("PATH", str(java))
    library = f"x86={java / 'lib.so'}"
    assert main(["aar", library, "--package=org.t", "--api-level=24"]) == 2
    assert "javac is not on PATH; try: sudo apt-get install" in capsys.readouterr().err


def test_classes_of_the_library() -> None:
    root = Path(os.environ["RUNFILES_DIR"], "_main/tools")
    sources = sorted((root / "java").rglob("*.java"))
    classes = compiled(_JAVAC, sources, sorted((root / "android/stubs").rglob("*.java")))
    names = _members(classes.jar).keys()
    assert "org/tensorflow/contrib/android/TensorFlowInferenceInterface.class" in names
    assert "org/tfcarve/TfSession.class" in names
    assert not any(name.startswith("android/") for name in names)
    natives = (root / "runtime/java/natives.cc").read_text(encoding="utf-8")
    assert classes.natives == set(re.findall(r"\bJava_\w+", natives))
    jar = _members(sources_jar(sources))
    assert jar["org/tfcarve/TfSession.java"].startswith(b"package org.tfcarve;")


def test_flex_delegate_class() -> None:
    tree = trees.tensorflow() / "tensorflow/lite"
    lite = tree / "java/src/main/java/org/tensorflow/lite"
    classes = compiled(
        _JAVAC,
        sorted((tree / "delegates/flex/java").rglob("*.java")),
        [lite / "Delegate.java", lite / "annotations/UsedByReflection.java"],
    )
    # TensorFlow Lite's own package has the other classes.
    assert list(_members(classes.jar)) == ["org/tensorflow/lite/flex/FlexDelegate.class"]
    assert len(classes.natives) == 3
