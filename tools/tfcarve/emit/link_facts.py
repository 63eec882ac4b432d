"""How a carved library is linked, as each build system wants to be told."""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tfcarve import json_form
from tfcarve.emit.templates import fill
from tfcarve.errors import InvalidInput

# File name -> the systems that it is for. Each is made from the template link/<file name>.j2.
FRAGMENTS: Mapping[str, frozenset[str]] = {
    "Android.mk": frozenset({"android"}),
    "TensorFlowCoreConfig.cmake": frozenset({"android", "linux"}),
    "link_flags.txt": frozenset({"android", "ios", "linux"}),
    "tensorflow-core-shared.pc": frozenset({"linux"}),
    "tensorflow-core.mk": frozenset({"linux"}),
    "tensorflow-core.pc": frozenset({"linux"}),
    "tensorflow-core.xcconfig": frozenset({"ios"}),
}

# What goes into makefiles, CMake and linker flags as it is.
_PLAIN = re.compile(r"[A-Za-z0-9_.,=+:/-]+\Z")
_VERSION = re.compile(r"(\d+(\.\d+)*)?\Z")
_FORM = {
    "defines": [str],
    "frameworks": [str],
    "minimum_os_version": str,
    "os": str,
    "platform": str,
    "shared_library": str,
    "system_flags": [str],
}


@dataclass(frozen=True)
class LinkFacts:
    """All that a program which uses the library has to know of it.

    Attributes:
      platform: name of the platform, e.g. "linux_arm64".
      os: "linux", "android" or "ios".
      minimum_os_version: what it runs on at the least: Android's API level, a version of iOS; empty where that is unknown.
      shared_library: file name of the shared library; empty where there is none.
      frameworks: those of Apple's that the library uses, e.g. "Accelerate".
      system_flags: linker flags of the system's libraries, e.g. "-lm".
      defines: macros that TensorFlow's C++ headers are to be read with: NAME or NAME=VALUE.
    """

    platform: str
    os: str
    minimum_os_version: str
    shared_library: str
    frameworks: tuple[str, ...]
    system_flags: tuple[str, ...]
    defines: tuple[str, ...]


def parse(data: bytes, where: str) -> LinkFacts:
    """Returns the facts that the JSON document `data` holds.

    Raises:
      InvalidInput: it is of another form, names no known system, or has a value that no build system
        could be given unquoted; `where` names it.
    """
    try:
        document = json_form.loads(data)
        json_form.check(document, _FORM, "facts")
    except ValueError as error:
        raise InvalidInput(f"{where}: {error}") from None
    if not isinstance(document, dict) or set(document) != {f.name for f in fields(LinkFacts)}:
        raise InvalidInput(f"{where}: exactly these keys were expected: {', '.join(sorted(_FORM))}")
    known = sorted(frozenset().union(*FRAGMENTS.values()))
    if document["os"] not in known:
        raise InvalidInput(f"{where}: no system {document['os']!r}; there are: {', '.join(known)}")
    if not _VERSION.match(document["minimum_os_version"]):
        raise InvalidInput(
            f"{where}: {document['minimum_os_version']!r}: no version: digits and dots only"
        )
    for value in _texts(document):
        if not _PLAIN.match(value):
            raise InvalidInput(f"{where}: {value!r}: letters, digits and _.,=+:/- only")
    return LinkFacts(
        platform=document["platform"],
        os=document["os"],
        minimum_os_version=document["minimum_os_version"],
        shared_library=document["shared_library"],
        frameworks=tuple(document["frameworks"]),
        system_flags=tuple(document["system_flags"]),
        defines=tuple(document["defines"]),
    )


def _texts(document: Mapping[str, Any]) -> list[str]:
    lists = (document[name] for name in ("defines", "frameworks", "system_flags"))
    texts = [document["platform"], *itertools.chain.from_iterable(lists)]
    return texts + [document["shared_library"]] * bool(document["shared_library"])


def fragment(facts: LinkFacts, name: str, version: str) -> bytes:
    """Returns the content of the file `name` for TensorFlow `version`.

    Raises:
      InvalidInput: no such file is made for this system.
    """
    made = sorted(file for file, systems in FRAGMENTS.items() if facts.os in systems)
    if name not in made:
        raise InvalidInput(f"{name}: not made for {facts.platform}; there are: {', '.join(made)}")
    if not _PLAIN.match(version):
        raise InvalidInput(f"TensorFlow's version {version!r}: letters, digits and _.,=+:/- only")
    return fill(f"link/{name}.j2", facts=facts, version=version)
