"""The whole library for Android and iOS: an AAR, an xcframework and the xcconfig, each linked.

As all builds, each build also proves the registrations of each platform's library.
"""

import io
import re
import shlex
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import clang
import pytest

from demo import nested
from flex import flex_models
from tfcarve.app.workspace import Workspace
from tfcarve.cli import main
from tfcarve.objfile import cpu
from tfcarve.objfile.shared_library import read_shared_library
from tfcarve.package.android_library import problems

_NAME = "libtensorflow_inference.so"
_FLEX_NAME = "libtensorflowlite_flex_jni.so"
_FLEX_MODEL = "audio_front_end"
# The goal of the project for an audio model's AAR for arm64; TensorFlow Lite's page on binary size has 2,298,630 bytes for
# that of SPICE.
_FLEX_MAX_BYTES = 2_200_000
# The app calls the library through the C API.
_APP = """
extern "C" unsigned long tfcarve_kernel_count();
extern "C" unsigned long app() { return tfcarve_kernel_count(); }
"""
_TARGET = "arm64-apple-ios13.0"
# Text-based stubs of Apple's libraries, without symbols.
_STUB = """\
--- !tapi-tbd
tbd-version: 4
targets: [ arm64-ios ]
install-name: '/{name}'
...
"""
_STUBS = (
    "System/Library/Frameworks/Accelerate.framework/Accelerate.tbd",
    "System/Library/Frameworks/CoreFoundation.framework/CoreFoundation.tbd",
    "usr/lib/libSystem.tbd",
    "usr/lib/libc++.tbd",
    "usr/lib/libdl.tbd",
    "usr/lib/libm.tbd",
)


@pytest.fixture(name="workspace", scope="module")
def _workspace() -> Iterator[Workspace]:
    with nested.opened(nested.source_tree() / "tests/full/app", "full") as workspace:
        yield workspace


def test_android(workspace: Workspace) -> None:
    files = workspace.build(["//:android"]).files("//:android")
    (file,) = (file for file in files if file.name == "android.aar")
    in_repository = "maven/org/example/tensorflow/1.0/tensorflow-1.0.aar"
    (published,) = (each for each in files if each.as_posix().endswith(in_repository))
    assert published.read_bytes() == file.read_bytes()
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as aar:
        libraries = {abi: aar.read(f"jni/{abi}/{_NAME}") for abi in cpu.BY_ANDROID_ABI}
    for abi, data in libraries.items():
        library = read_shared_library(data, abi)
        assert list(problems(library, abi, _NAME, 24)) == []
        assert {"tfcarve_session_run", "Java_org_tfcarve_Natives_run"} <= library.exported
        assert library.initialisers > 0, "the library has no registrations"


def test_flags_for_android(workspace: Workspace, tmp_path: Path) -> None:
    files = _release(workspace, "android_arm64")
    flags = files["link_flags.txt"].read_text(encoding="utf-8").split()
    plain = [flag for flag in flags if "--whole-archive" not in flag]
    assert len(plain) == len(flags) - 1
    folder = files["libtensorflow-core.a"].parent
    for name, chosen, status in (("forced", flags, 0), ("plain", plain, 2)):
        library = _linked_for_android(tmp_path, name, [f"-L{folder}", *chosen])
        assert main(["prove", str(library), str(files["selection.json"])]) == status, name


def test_ios(workspace: Workspace) -> None:
    files = workspace.build(["//:ios"]).files("//:ios")
    slices = {file.parent.name for file in files if file.name == "libtensorflow-core.a"}
    assert slices == {"ios-arm64", "ios-arm64_x86_64-simulator"}


def test_swift_package(workspace: Workspace) -> None:
    """Registrations are kept in the framework: the app's link needs no flag."""
    files = workspace.build(["//:swift"]).files("//:swift")
    library, _ = sorted(file for file in files if file.name == "TensorFlowCore")
    assert library.parent.parent.name == "ios-arm64"
    assert (
        main(["prove", str(library), str(_release(workspace, "ios_arm64")["selection.json"])]) == 0
    )


def test_xcode(workspace: Workspace, tmp_path: Path) -> None:
    files = _release(workspace, "ios_arm64")
    forced = _linker_flags(files["tensorflow-core.xcconfig"])
    at = forced.index("-force_load")
    selection = str(files["selection.json"])
    for name, flags, status in (
        ("forced", forced, 0),
        ("plain", forced[:at] + forced[at + 2 :], 2),
    ):
        assert main(["prove", str(_linked(tmp_path, name, flags)), selection]) == status, name


@pytest.fixture(name="flex", scope="module")
def _flex(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The workspace with the model of the Flex delegate."""
    model = tmp_path_factory.mktemp("flex") / f"{_FLEX_MODEL}.tflite"
    model.write_bytes(flex_models.MAKERS[_FLEX_MODEL]())
    workspace.place("flex", {model.name: model}, "*.tflite")
    return workspace


def test_flex_delegate_for_android(flex: Workspace) -> None:
    (file,) = flex.build(["//flex:android"]).files("//flex:android")
    data = file.read_bytes()
    assert len(data) <= _FLEX_MAX_BYTES
    with zipfile.ZipFile(io.BytesIO(data)) as aar:
        library = read_shared_library(aar.read(f"jni/arm64-v8a/{_FLEX_NAME}"), _FLEX_NAME)
        with zipfile.ZipFile(io.BytesIO(aar.read("classes.jar"))) as jar:
            assert jar.namelist() == ["org/tensorflow/lite/flex/FlexDelegate.class"]
    native = "Java_org_tensorflow_lite_flex_FlexDelegate_native"
    assert library.exported == {
        *(f"{native}{name}" for name in ("CreateDelegate", "DeleteDelegate", "InitTensorFlow")),
        "TF_AcquireFlexDelegate",
        "tflite_plugin_create_delegate",
        "tflite_plugin_destroy_delegate",
    }
    assert library.initialisers > 0, "the library has no registrations"


def test_flex_delegate_for_ios(flex: Workspace) -> None:
    files = flex.build(["//flex:ios"]).files("//flex:ios")
    (library,) = (file for file in files if file.suffix == ".a")
    assert library.parts[-3:] == (
        "TensorFlowLiteSelectTfOps.xcframework",
        "ios-arm64",
        "libtensorflowlite_flex.a",
    )


def _release(workspace: Workspace, platform: str) -> Mapping[str, Path]:
    """Returns the files for other build systems, by name."""
    build = workspace.build(["//:release"], [f"--output_groups={platform}"])
    return build.named("//:release", platform)


def _linked_for_android(folder: Path, name: str, flags: Sequence[str]) -> Path:
    """Links an app's shared library that contains the carved one; the system's libraries are empty."""
    target = "--target=aarch64-linux-android24"
    link = ("clang++", target, "-fuse-ld=lld", "-nostdlib", "-shared")
    empty = clang.compiled(folder, "aarch64-linux-android24", "", "empty")
    for library in ("c", "dl", "log", "m"):
        clang.run(*link, empty, "-o", folder / f"lib{library}.so")
    app = clang.compiled(folder, "aarch64-linux-android24", _APP, name, "-fPIC")
    output = folder / f"{name}.so"
    # An app's link drops the registration table, which only `prove` reads.
    keep_table = "-Wl,-z,nostart-stop-gc"
    clang.run(*link, app, f"-L{folder}", *flags, keep_table, "-o", output)
    return output


def _linker_flags(settings: Path) -> Sequence[str]:
    """Returns OTHER_LDFLAGS as Xcode expands it."""
    (text,) = re.findall(r"^OTHER_LDFLAGS = (.*)$", settings.read_text(encoding="utf-8"), re.M)
    text = text.replace("$(inherited)", "")
    return shlex.split(text.replace("$(TENSORFLOW_CORE_DIR)", str(settings.parent)))


def _linked(folder: Path, name: str, flags: Sequence[str]) -> Path:
    """Links an app with the library for devices, by clang as Xcode calls it."""
    for stub in _STUBS:
        file = folder / "sdk" / stub
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_STUB.format(name=stub.removesuffix(".tbd")), encoding="utf-8")
    app = clang.compiled(folder, _TARGET, _APP, name)
    output = folder / f"{name}.dylib"
    # The stubs have no symbols: those of Apple's libraries stay undefined.
    system = ("-isysroot", folder / "sdk", "-nostdlib", "-lSystem")
    linker = ("-fuse-ld=lld", "-dynamiclib", "-Wl,-dead_strip,-undefined,dynamic_lookup")
    exported = "-Wl,-exported_symbol,_app"
    target = f"--target={_TARGET}"
    clang.run("clang++", target, *system, *linker, exported, app, *flags, "-o", output)
    return output
