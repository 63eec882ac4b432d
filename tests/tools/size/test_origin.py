"""Tests of mapping objects to their part and source."""

import pytest

from tfcarve.emit.units import file_name
from tfcarve.releases import known
from tfcarve.runtime_sources import optional_sources
from tfcarve.size.origin import (
    CORE,
    HELPERS,
    INTERFACE,
    KERNELS,
    LINKER,
    PROTOS,
    THIRD_PARTY,
    TOOLCHAIN,
    origin,
)  # fmt: skip

_UNITS = {"tensorflow__core__kernels__relu_op": "tensorflow/core/kernels/relu_op.cc"}
_BIN = "bazel-out/k8-opt/bin"
_TF = f"{_BIN}/external/tfcarve~tfcarve_tensorflow_2_14"


@pytest.mark.parametrize(
    ("owner", "part", "file"),
    [
        (
            f"{_BIN}/tensorflow/parts/libunits.a(tensorflow__core__kernels__relu_op.pic.o)",
            KERNELS,
            "tensorflow/core/kernels/relu_op.cc",
        ),
        (
            f"{_BIN}/_objs/tensorflow/helpers/tensorflow__core__kernels__relu_op.pic.o",
            HELPERS,
            "tensorflow/core/kernels/relu_op.cc",
        ),
        (f"{_TF}/libcore.a(graph.pic.o)", CORE, "core: graph"),
        (f"{_TF}/_objs/core/0/status.pic.o", CORE, "core: status"),
        (f"{_BIN}/x/parts/liboptional.a(tensorflow__tsl__lib__io__table.pic.o)", CORE, "core: table"),
        (f"{_BIN}/x/parts/liboptional.a(tensorflow__core__example__example.pb.pic.o)", PROTOS, "core: example.pb"),
        (f"{_BIN}/x/parts/liboptional.a(re2__re2.pic.o)", THIRD_PARTY, "re2: re2"),
        (f"{_BIN}/x/parts/liboptional.a(util__rune.pic.o)", THIRD_PARTY, "re2: rune"),
        (f"{_BIN}/_objs/tensorflow/optional_third_party/absl__strings__cord_buffer.pic.o", THIRD_PARTY, "abseil: cord_buffer"),
        (f"{_BIN}/_objs/tensorflow/libraries/giflib__dgif_lib.pic.o", THIRD_PARTY, "giflib: dgif_lib"),
        (f"{_BIN}/x/parts/libhelpers.a(libjpeg__jcapimin.pic.o)", THIRD_PARTY, "libjpeg: jcapimin"),
        (f"{_BIN}/x/parts/libhelpers.a(libpng__png.o)", THIRD_PARTY, "libpng: png"),
        (f"{_BIN}/external/x/libabseil.a(low__level.pic.o)", THIRD_PARTY, "abseil: low__level"),
        (f"{_BIN}/_objs/tensorflow/optional/tensorflow__tsl__lib__io__table.pic.o", CORE, "core: table"),
        (f"{_TF}/libcore_registering.lo(array_ops.pic.o)", CORE, "core_registering: array_ops"),
        (f"{_TF}/libcore_protos.a(graph.pb.pic.o)", PROTOS, "core_protos: graph.pb"),
        (f"{_BIN}/external/x/libabseil.a(mutex.pic.o)", THIRD_PARTY, "abseil: mutex"),
        (f"{_BIN}/external/y/tools/runtime/libc_api.a(tfcarve_c_api.pic.o)", INTERFACE, "c_api: tfcarve_c_api"),
        ("/usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a(new.o)", TOOLCHAIN, "stdc++: new"),
        ("/usr/lib/x86_64-linux-gnu/crti.o", TOOLCHAIN, "crti"),
        ("", LINKER, ""),
    ],
)  # fmt: skip
def test_origin(owner: str, part: str, file: str) -> None:
    found = origin(owner, _UNITS)
    assert (found.part, found.file) == (part, file)


def test_each_source_of_a_library_belongs_to_it() -> None:
    release = known.nearest("2.14.1")
    sources = [(name, source) for name, found in release.libraries.items() for source in found]
    assert {"giflib", "libjpeg", "libpng"} <= {name for name, _ in sources}
    for name, source in sources:
        stem = file_name(f"{name}/{source}").rpartition(".")[0]
        for owner in (f"_objs/x/libraries/{stem}.o", f"parts/libhelpers.a({stem}.pic.o)"):
            found = origin(owner, _UNITS)
            assert (found.part, found.file.partition(":")[0]) == (THIRD_PARTY, name)


def test_each_optional_source_belongs_to_its_project() -> None:
    """The archives of the projects have the same names (third_party/*)."""
    release = known.nearest("2.14.1")
    found = {
        origin(f"x/liboptional.a({file_name(source.path).rpartition('.')[0]}.o)", _UNITS).file
        for source in optional_sources.read(release).sources
    }
    assert {name.partition(":")[0] for name in found} == {
        "core",
        "abseil",
        "double_conversion",
        "re2",
    }
