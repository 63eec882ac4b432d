"""Compiles the Swift interface with a Swift toolchain for Linux, and runs it with a carved library."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from built import published
from swift import toolchain
from tfcarve.package.swift_package import FRAMEWORK, SwiftPackage, manifest
from tfcarve.package.xcframework import Slice

_ROOT = Path(os.environ.get("RUNFILES_DIR", "")) / "_main"
_HERE = _ROOT / "tests/swift"
_WORK = "/check"
_RUNS = 10_000
_MOST_KILOBYTES = 2 << 10


@pytest.fixture(name="work", scope="module")
def _work() -> Iterator[Path]:
    """The folder of the program's package, inside the toolchain's file system, with the library and the models."""
    work = toolchain.root() / _WORK.lstrip("/")
    shutil.rmtree(work, ignore_errors=True)
    sources = work / "Sources"
    for folder in ("TensorFlowCore", "TensorFlowCarved", "Check"):
        (sources / folder).mkdir(parents=True)
    (work / "lib").mkdir()
    shutil.copy(_HERE / "Package.swift", work)
    shutil.copy(_HERE / "main.swift", sources / "Check")
    shutil.copy(_HERE / "module.modulemap", sources / "TensorFlowCore")
    header = _ROOT / "tools/runtime/include/tfcarve_c_api.h"
    shutil.copy(header, sources / "TensorFlowCore")
    for source in (_ROOT / "tools/swift/Sources/TensorFlowCarved").glob("*.swift"):
        shutil.copy(source, sources / "TensorFlowCarved")
    built = published.of("shared")
    shutil.copy(built.named("//shared:library")["libtensorflow-core.so"], work / "lib")
    shutil.copytree(built.models / "c_api", work / "models")
    yield work
    shutil.rmtree(work)


@pytest.fixture(name="found", scope="module")
def _found(work: Path) -> Mapping[str, str]:
    del work
    done = toolchain.run(
        _WORK, "swift", "build", "-c", "release", "-Xswiftc", "-warnings-as-errors"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    done = toolchain.run(_WORK, ".build/release/Check", "models", str(_RUNS))
    assert done.returncode == 0, done.stdout + done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def test_values(found: Mapping[str, str]) -> None:
    assert found["y"] == "[10.0, 13.0, 28.0, 40.0]"
    assert (found["shape"], found["top"]) == ("[2, 2]", "[1, 1]")
    assert found["all"] == '["top", "top:1"]'
    assert found["inputs"] == '["x"] float32'
    assert (found["empty"], found["count"]) == ("[0, 2]", "[7]")
    assert found["joined"] == '["a!", "!", "é0b!"]'
    assert (found["different"], found["kept"]) == ("0", "true")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gone", "NOT_FOUND//models/gone.pb: "),
        ("graph", "INVALID_ARGUMENT//"),
        ("threads", "INVALID_ARGUMENT//"),
        ("short", "INVALID_ARGUMENT//the shape [1, 3] has 3 elements, but there are 1"),
        ("negative", "INVALID_ARGUMENT//the shape [-1] has a size that is negative or too large"),
        ("large", f"INVALID_ARGUMENT//the shape [{2**63 - 1}, 3] has a size that is negative"),
        ("type", "INVALID_ARGUMENT//the tensor is of float32, not int32"),
        ("strings", "INVALID_ARGUMENT//the tensor is of float32, not string"),
        ("operands", "INVALID_ARGUMENT/y/"),
        ("input", "INVALID_ARGUMENT//Tensor z:0"),
        ("memory", "RESOURCE_EXHAUSTED/y/"),
        ("deadline", "DEADLINE_EXCEEDED/"),
        ("cancelled", "CANCELLED/"),
    ],
)
def test_errors(found: Mapping[str, str], name: str, expected: str) -> None:
    assert found[f"error {name}"].startswith(expected)


def test_memory_is_freed(found: Mapping[str, str]) -> None:
    assert int(found["grown"]) < _MOST_KILOBYTES


def test_the_package_manager_reads_the_manifest(work: Path) -> None:
    package = SwiftPackage(
        "Example", "org.example.Core", "1.0", [Slice("ios", "arm64", (13, 0), b"", "")], b"", {}
    )
    folder = work / "manifest"
    (folder / f"{FRAMEWORK}.xcframework").mkdir(parents=True)
    right = manifest(package)
    for text, status in ((right, 0), (right.replace(b".binaryTarget", b".binary"), 1)):
        (folder / "Package.swift").write_bytes(text)
        done = toolchain.run(f"{_WORK}/manifest", "swift", "package", "dump-package")
        assert done.returncode == status, done.stderr
        if status == 0:
            targets = json.loads(done.stdout)["targets"]
            assert [(one["name"], one["type"]) for one in targets] == [
                (FRAMEWORK, "binary"),
                ("Example", "regular"),
            ]
