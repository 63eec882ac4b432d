"""The whole library for Android and iOS: an AAR and an xcframework, each linked."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import clang
import lief
import pytest

from demo import nested
from demo.nested import Workspace
from tfcarve.package import android_library

_NAME = "libtensorflow_inference.so"
_APP = 'extern "C" int app() { return 0; }'


@pytest.fixture(name="workspace", scope="module")
def _workspace() -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / "tests/full/app", "full") as workspace:
        yield workspace


def test_android(workspace: Workspace) -> None:
    (file,) = workspace.build(["//:android"], ["--norun_validations"]).files("//:android")
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as aar:
        libraries = {abi: aar.read(f"jni/{abi}/{_NAME}") for abi in android_library.ABIS}
    for abi, data in libraries.items():
        library = android_library.read(data, abi)
        assert list(android_library.problems(library, abi, _NAME, 24)) == []
        assert {"tfcarve_session_run", "Java_org_tensorflow_Session_run"} <= library.exported
        assert library.initialisers > 0, "nothing is registered"


def test_ios(workspace: Workspace, tmp_path: Path) -> None:
    (folder,) = workspace.build(["//:ios"], ["--norun_validations"]).files("//:ios")
    library = folder / "ios-arm64" / "libtensorflow-core.a"
    plain, forced = (_initialisers(tmp_path, library, *flags) for flags in ((), ("-force_load",)))
    assert plain == 0
    assert forced > 0


def _initialisers(folder: Path, library: Path, *flags: str) -> int:
    """How many functions run when a program is loaded that is linked with a library for devices."""
    target, output = "arm64-apple-ios13.0", folder / "app.dylib"
    app = clang.compiled(folder, target, _APP, "app")
    version = ("-platform_version", "ios", "13.0", "17.0", "-undefined", "dynamic_lookup")
    common = ("-arch", "arm64", *version, "-dylib", "-dead_strip", "-exported_symbol", "_app")
    clang.run("ld64.lld", *common, app, *flags, library, "-o", output)
    lief.logging.disable()
    fat = lief.MachO.parse(str(output))
    binary = fat.at(0) if fat is not None else None
    assert binary is not None
    sections = {str(section.name): section.size for section in binary.sections}
    return sections.get("__mod_init_func", 0) // 8 + sections.get("__init_offsets", 0) // 4
