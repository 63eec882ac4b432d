"""Checks the table of sources that need third-party libraries against TensorFlow and the zoo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
import trees

from tfcarve.build_files.sources import below
from tfcarve.releases import known
from tfcarve.selection import buildable, libraries, lookup
from tfcarve.selection.selection import Selection
from zoo import cached
from zoo.selecting import selected, tensorflow_index

_KERNELS = "tensorflow/core/kernels"
_HEADERS: Mapping[str, tuple[str, ...]] = {
    "HighwayHash": ("highwayhash/",),
    "ICU": ("unicode/",),
    "SQLite": ("sqlite3.h",),
    "gRPC": ("grpcpp/",),
    "giflib": ("gif_lib.h",),
    "libjpeg": ("jpeglib.h",),
    "libpng": ("png.h",),
    "sobol_data": ("sobol_data.h",),
}


def test_all_sources_that_include_its_headers() -> None:
    whole = tensorflow_index()
    sources = below(trees.tensorflow())
    release = known.release()
    registering = lookup.registering_sources(whole)
    found = {}
    for file in sorted(f for f in registering if not buildable.why_not(f, release)):
        seen = sources.closure([file, *whole.helpers.get(file, ())])
        libs = [lib for lib, names in _HEADERS.items() if any(h.startswith(names) for h in seen)]
        if libs:
            found[file] = tuple(libs)
    listed = {
        file: tuple("ICU" if lib == "ICU's converters" else lib for lib in libs)
        for file, libs in release.units.libraries.items()
    }
    # tfcarve's overrides of these need no library.
    without = {f"{_KERNELS}/string_{case}_op.cc": ("ICU",) for case in ("lower", "upper")}
    assert without.keys() <= {override.path for override in release.overrides.kernels}
    assert found == {**listed, **without}


@cache
def _selected(name: str) -> Selection:
    return selected(cached.load(name).model)


@pytest.mark.parametrize("built", [True, False])
def test_models_of_the_zoo_that_need_one(built: bool) -> None:
    release = known.release()
    if not built:
        release = replace(release, libraries={})
    found = {}
    for name in cached.MODELS:
        problems = libraries.missing(_selected(name), release)
        if problems:
            found[name] = {problem.what.split("'")[1] for problem in problems}
    needed = {"photo filters": {"EncodePng"}, "picture from JPEG": {"DecodeJpeg"}}
    assert found == ({} if built else needed)
