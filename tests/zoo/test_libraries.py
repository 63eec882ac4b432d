"""What needs a library that tfcarve does not build, held against TensorFlow's sources and the zoo."""

from __future__ import annotations

from collections.abc import Mapping

import trees

from tfcarve.build_files.sources import below
from tfcarve.releases import known
from tfcarve.selection import buildable, libraries, lookup
from zoo import keeping
from zoo.selecting import selected, tensorflow_index

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
    registering = lookup.registering_sources(whole)
    found = {}
    for file in sorted(f for f in registering if not buildable.why_not(f, known.release())):
        seen = sources.closure([file, *whole.helpers.get(file, ())])
        libs = [lib for lib, names in _HEADERS.items() if any(h.startswith(names) for h in seen)]
        if libs:
            found[file] = tuple(libs)
    assert found == dict(known.release().units.libraries)


def test_models_of_the_zoo_that_need_one() -> None:
    needing = {}
    for name in keeping.MODELS:
        problems = libraries.missing(selected(keeping.kept(name).model), known.release())
        if problems:
            needing[name] = {problem.what.split("'")[1] for problem in problems}
    assert needing == {
        "photo filters": {"EncodePng"},
        "picture from JPEG": {"DecodeJpeg"},
        "text vectors, SavedModel": {"StringLower"},
        "words, SavedModel": {"StringLower"},
    }
