"""Link facts: the platform, linker flags and macros that a build system needs to link a library, and files with them."""

import itertools
import re
from collections.abc import Mapping

from tfcarve import json_codec
from tfcarve.emit.templates import fill
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument

# File name -> the operating systems that the file is for. The template of a file is link/<file name>.j2.
FRAGMENTS: Mapping[str, frozenset[str]] = {
    "Android.mk": frozenset({"android"}),
    "TensorFlowCoreConfig.cmake": frozenset({"android", "linux"}),
    "link_flags.txt": frozenset({"android", "ios", "linux"}),
    "tensorflow-core-shared.pc": frozenset({"linux"}),
    "tensorflow-core.mk": frozenset({"linux"}),
    "tensorflow-core.pc": frozenset({"linux"}),
    "tensorflow-core.xcconfig": frozenset({"ios"}),
}

# Values are written into makefiles, CMake files and linker flags unquoted.
_PLAIN = re.compile(r"[A-Za-z0-9_.,=+:/-]+\Z")
_VERSION = re.compile(r"(\d+(\.\d+)*)?\Z")


class LinkFacts(JsonDocument, frozen=True):
    """The facts that a build system needs to link a library.

    Attributes:
      platform: the platform's name, e.g. "linux_arm64".
      os: "linux", "android" or "ios".
      minimum_os_version: Android's API level or the version of iOS; empty if it is unknown.
      shared_library: file name of the shared library; empty if there is none.
      frameworks: Apple frameworks that the library uses, e.g. "Accelerate".
      system_flags: linker flags of system libraries, e.g. "-lm".
      defines: macros that TensorFlow's C++ headers need: NAME or NAME=VALUE.
    """

    platform: str
    os: str
    minimum_os_version: str
    shared_library: str
    frameworks: tuple[str, ...]
    system_flags: tuple[str, ...]
    defines: tuple[str, ...]


def parse(data: bytes, where: str) -> LinkFacts:
    """Reads the JSON document that the Bazel rule writes.

    Args:
      data: the document.
      where: its name, for messages.

    Raises:
      InvalidInput: the form is wrong, the operating system is unknown, or a value would need quoting.
    """
    facts = json_codec.decode(data, LinkFacts, where)
    known = sorted(frozenset().union(*FRAGMENTS.values()))
    if facts.os not in known:
        raise InvalidInput(
            f"{where}: unknown operating system {facts.os!r}: known are {', '.join(known)}"
        )
    if not _VERSION.match(facts.minimum_os_version):
        raise InvalidInput(
            f"{where}: {facts.minimum_os_version!r} is not a version: use digits and dots only"
        )
    for value in _unquoted(facts):
        if not _PLAIN.match(value):
            raise InvalidInput(f"{where}: {value!r}: use letters, digits and _.,=+:/- only")
    return facts


def _unquoted(facts: LinkFacts) -> list[str]:
    lists = itertools.chain(facts.defines, facts.frameworks, facts.system_flags)
    return [facts.platform, *lists, *([facts.shared_library] if facts.shared_library else [])]


def fragment(facts: LinkFacts, name: str, version: str, *, has_session: bool) -> bytes:
    """Renders one file for a build system.

    Args:
      facts: of the library.
      name: one of FRAGMENTS.
      version: TensorFlow's version.
      has_session: whether the library has TensorFlow's session, which apps call through TensorFlow's C++ interface.

    Raises:
      InvalidInput: there is no such file for this operating system.
    """
    available = sorted(file for file, systems in FRAGMENTS.items() if facts.os in systems)
    if name not in available:
        raise InvalidInput(
            f"{name}: not available for {facts.platform}: available are {', '.join(available)}"
        )
    if not _PLAIN.match(version):
        raise InvalidInput(
            f"TensorFlow's version {version!r}: use letters, digits and _.,=+:/- only"
        )
    return fill(f"link/{name}.j2", facts=facts, version=version, has_session=has_session)
