"""Writes optional_sources.json of a release.

`bazel run //third_party/tensorflow/releases/<name>:update_optional_sources` runs it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from tfcarve import files, json_codec
from tfcarve.errors import TfcarveError
from tfcarve.json_codec import JsonDocument
from tfcarve.releases import known
from tfcarve.releases.release import Release
from tfcarve.runtime_sources.optional_sources import FILE_NAME, OptionalSources
from tfcarve.runtime_sources.record import Symbols, optional_sources

# A source that replaces several of Abseil's sources; and a source with operators that are inline on CPUs of 64 bits, where the list
# is made, and that the core calls on other CPUs.
_ALWAYS = ("third_party/abseil/cordz.cc", "absl/numeric/int128.cc")
# Symbol types of nm(1): of weak symbols, and of symbols that are not external.
_WEAK, _INTERNAL = "WVu", "wv"


class _Object(JsonDocument, frozen=True):
    kind: Literal["candidate", "core", "session"]
    source: str
    object: str


def recorded(
    objects: Sequence[_Object], symbols: Mapping[str, Symbols], release: Release
) -> OptionalSources:
    """Returns the optional sources of a release.

    Args:
      objects: all objects of its runtime.
      symbols: the symbols of each object, by path.
      release: the release.
    """
    candidates, others, session = {}, [], []
    for compiled in objects:
        found = symbols[compiled.object]
        if compiled.kind == "session":
            session.append(found)
        elif compiled.kind == "core" or compiled.source in (*_ALWAYS, *release.core.always):
            others.append(found)
        else:
            candidates[compiled.source] = found
    return optional_sources(candidates, others, session)


def read_symbols(paths: Sequence[str]) -> dict[str, Symbols]:
    """Returns the external symbols of objects, by path."""
    command = ["nm", "-A", "-P", "-g", *paths]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    strong, weak, undefined = ({path: set[str]() for path in paths} for _ in range(3))
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(": ")
        symbol, kind = rest.split()[:2]
        if kind not in _INTERNAL:
            kinds = undefined if kind == "U" else weak if kind in _WEAK else strong
            kinds[path].add(symbol)
    return {
        path: Symbols(frozenset(strong[path]), frozenset(weak[path]), frozenset(undefined[path]))
        for path in paths
    }


def main(argv: Sequence[str]) -> int:
    """Returns the exit status: 0 done, 2 the objects or the release cannot be read.

    Args:
      argv: the release's name, and the path of the JSON list of objects; their paths are relative to the working directory.
    """
    name, listed = argv
    place = Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    try:
        release = known.release(name)
        objects = json_codec.decode(files.read_bytes(Path(listed)), list[_Object], listed)
        symbols = read_symbols([compiled.object for compiled in objects])
    except TfcarveError as error:
        print(f"tfcarve: {error}", file=sys.stderr)
        return 2
    output = place / "third_party/tensorflow/releases" / name / FILE_NAME
    files.write_if_changed(output, json_codec.encode_rows(recorded(objects, symbols, release)))
    print(f"{output}: up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
