"""Tests of mapping objects to their part and source."""

from dataclasses import replace

import pytest
from mini_library import RELU, selection
from msgspec import structs

from tfcarve.emit import units
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
    Library,
    Origin,
    Origins,
    generated_sources,
)  # fmt: skip

_BIN = "bazel-out/k8-opt/bin"
_TF = f"{_BIN}/external/tfcarve~tfcarve_tensorflow_2_14"
_RELEASE = known.release()
_LIBRARIES = (
    Library(f"{_BIN}/x/parts/libunits.a", "x", None),
    Library(f"{_BIN}/x/parts/libhelpers.a", "x", None),
    Library(f"{_BIN}/x/parts/liboptional.a", "x", None),
    Library(f"{_TF}/libcore.a", "core", CORE),
    Library(f"{_TF}/_objs/core/0/status.pic.o", "core", CORE),
    Library(f"{_TF}/libcore_registering.lo", "core_registering", CORE),
    Library(f"{_BIN}/external/x/libmisleading_protos.a", "abseil", THIRD_PARTY),
    Library(f"{_BIN}/external/y/tools/runtime/api/libc_api.a", "c_api", INTERFACE),
    Library(f"{_BIN}/external/y/tools/runtime/math/_objs/loops/k.o", "loops", HELPERS),
    Library(f"{_BIN}/a (b)/libodd.a", "odd", THIRD_PARTY),
)
_HELPER = "tensorflow/core/kernels/helper.cc"
_SELECTION = structs.replace(selection(), helpers=(_HELPER,))


@pytest.fixture(scope="module", name="origins")
def _origins() -> Origins:
    return Origins(_LIBRARIES, generated_sources(_SELECTION, _RELEASE))


@pytest.mark.parametrize(
    ("owner", "part", "file"),
    [
        (f"{_BIN}/x/parts/libunits.a(kernels__relu_op.pic.o)", KERNELS, RELU),
        (f"{_BIN}/x/parts/libunits.a(kernels__relu_op.o)", KERNELS, RELU),
        (f"{_BIN}/x/parts/libunits.a(manifest.pic.o)", INTERFACE, "manifest: manifest"),
        (f"{_BIN}/x/parts/libunits.a(of_another_selection.pic.o)", LINKER, "x: of_another_selection"),
        (f"{_BIN}/x/parts/libhelpers.a({file_name(_HELPER)[:-3]}.pic.o)", HELPERS, _HELPER),
        (f"{_BIN}/x/parts/libhelpers.a(libjpeg__jcapimin.pic.o)", THIRD_PARTY, "libjpeg: jcapimin"),
        (f"{_BIN}/x/parts/libhelpers.a(libpng__png.o)", THIRD_PARTY, "libpng: png"),
        (f"{_BIN}/x/parts/liboptional.a(tensorflow__tsl__lib__io__table.pic.o)", CORE, "core: table"),
        (f"{_BIN}/x/parts/liboptional.a(tensorflow__core__example__example.pb.pic.o)", PROTOS, "core: example.pb"),
        (f"{_BIN}/x/parts/liboptional.a(tools__runtime__session__constants.pic.o)", INTERFACE, "session: constants"),
        (f"{_BIN}/x/parts/liboptional.a(re2__re2.pic.o)", THIRD_PARTY, "re2: re2"),
        (f"{_BIN}/x/parts/liboptional.a(util__rune.pic.o)", THIRD_PARTY, "re2: rune"),
        (f"{_TF}/libcore.a(graph.pic.o)", CORE, "core: graph"),
        (f"{_TF}/libcore.a(graph.pb.pic.o)", PROTOS, "core: graph.pb"),
        # A source of an app may have the name of one of the core's.
        (f"{_TF}/libcore.a(kernels__relu_op.pic.o)", CORE, "core: kernels__relu_op"),
        (f"{_TF}/_objs/core/0/status.pic.o", CORE, "core: status"),
        (f"{_TF}/libcore_registering.lo(array_ops.pic.o)", CORE, "core_registering: array_ops"),
        (f"{_BIN}/external/x/libmisleading_protos.a(low__level.pic.o)", THIRD_PARTY, "abseil: low__level"),
        (f"{_BIN}/external/y/tools/runtime/api/libc_api.a(tfcarve_c_api.pic.o)", INTERFACE, "c_api: tfcarve_c_api"),
        (f"{_BIN}/external/y/tools/runtime/math/_objs/loops/k.o", HELPERS, "loops: k"),
        (f"{_BIN}/a (b)/libodd.a(m.o)", THIRD_PARTY, "odd: m"),
        ("/usr/lib/gcc/x86_64-linux-gnu/12/libstdc++.a(new.o)", TOOLCHAIN, "stdc++: new"),
        ("/usr/lib/x86_64-linux-gnu/crti.o", TOOLCHAIN, "crti"),
        ("external/ndk/sysroot/usr/lib/libc++_static.a(string.o)", TOOLCHAIN, "c++_static: string"),
        ("", LINKER, ""),
    ],
)  # fmt: skip
def test_origin(origins: Origins, owner: str, part: str, file: str) -> None:
    found = origins.of(owner)
    assert (found.part, found.file) == (part, file)


def test_each_source_of_a_library_belongs_to_it() -> None:
    """Control: without the release, the sources have no origin."""
    release = replace(
        _RELEASE, units=structs.replace(_RELEASE.units, libraries={RELU: tuple(_RELEASE.libraries)})
    )
    found = generated_sources(_SELECTION, release)
    written = units.library_sources(_SELECTION, release)
    stems = [name.rpartition(".")[0] for name in written]
    assert {stem.partition("__")[0] for stem in stems} >= {"giflib", "libjpeg", "libpng"}
    for stem in stems:
        library, _, source = stem.partition("__")
        assert found[stem] == Origin(THIRD_PARTY, f"{library}: {source}")
    bare = generated_sources(_SELECTION, replace(_RELEASE, libraries={}))
    assert bare.keys().isdisjoint(stems)


def test_each_optional_source_belongs_to_its_project() -> None:
    """The archives of the projects have the same names (third_party/*)."""
    paths = [source.path for source in optional_sources.read(_RELEASE).sources]
    sources = generated_sources(_SELECTION, _RELEASE)
    found = [sources[name.rpartition(".")[0]].file for name in units.optional(paths)]
    assert {name.partition(":")[0] for name in found} == {
        "core",
        "abseil",
        "double_conversion",
        "engine",
        "re2",
        "session",
    }


def test_each_written_source_has_an_origin() -> None:
    sources = generated_sources(_SELECTION, _RELEASE)
    for written in (units.units(_SELECTION), units.helpers(_SELECTION, _RELEASE)):
        assert {name.rpartition(".")[0] for name in written} <= sources.keys()
