"""Tests that registrations run if a library is linked with Apple's -force_load, and only then."""

from pathlib import Path

import clang
import pytest
from mach_emulator import Loaded

_TARGET = "arm64-apple-ios13.0"
_REGISTRY = """
volatile int kernels;
int add() { return kernels = kernels + 1; }
extern "C" int kernel_count() { return kernels; }
"""
_KERNEL = "int add(); int {name} = add();"
_APP = 'extern "C" int kernel_count(); extern "C" int app() { return kernel_count(); }'


def _linked(folder: Path, minimum: str, *flags: str | Path) -> Loaded:
    app = clang.compiled(folder, _TARGET, _APP, "app")
    output = folder / "app.dylib"
    version = ("-platform_version", "ios", minimum, "17.0")
    clang.run(
        "ld64.lld", "-arch", "arm64", *version, "-dylib", "-dead_strip", app, *flags, "-o", output
    )
    return Loaded(output)


def _library(folder: Path) -> Path:
    kernels = [
        clang.compiled(folder, _TARGET, _KERNEL.format(name=name), name)
        for name in ("relu", "matmul", "softmax")
    ]
    registry = clang.compiled(folder, _TARGET, _REGISTRY, "registry")
    return clang.archived(folder / "libkernels.a", registry, *kernels, bsd=True)


# For iOS 16 and later, the linker writes __init_offsets instead of __mod_init_func.
@pytest.mark.parametrize("minimum", ["13.0", "16.0"])
def test_registrations_run_with_force_load_only(tmp_path: Path, minimum: str) -> None:
    library = _library(tmp_path)
    plain = _linked(tmp_path, minimum, library)
    assert (plain.initialize(), plain.call("_app")) == (0, 0)
    forced = _linked(tmp_path, minimum, "-force_load", library)
    assert forced.call("_app") == 0
    assert (forced.initialize(), forced.call("_app")) == (3, 3)
