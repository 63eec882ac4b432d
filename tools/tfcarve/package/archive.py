"""Archives of a library for C and C++: a .tar.gz with the library, its headers, licenses and SBOM. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from tfcarve.errors import InvalidInput
from tfcarve.package.tar_file import tar_gz

CHECKSUMS = "SHA256SUMS"
_SBOM = "sbom.spdx.json"
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def stem(name: str, version: str, platform: str) -> str:
    """Returns the name of an archive without its extension.

    Raises:
      InvalidInput: a part has characters that a file name should not have.
    """
    for what, text in (("name", name), ("version", version), ("platform", platform)):
        if not _WORD.fullmatch(text):
            raise InvalidInput(
                f"{text!r} is not a {what} of a package: use letters, digits, '.', '_', '+' and '-'"
            )
    return f"{name}-{version}-{platform}"


def archive(name: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns an archive, the SBOM that it contains, and the checksums of both, by file name.

    Args:
      name: from stem.
      files: contents by path, one of them sbom.spdx.json.

    Raises:
      InvalidInput: the SBOM is missing.
    """
    if _SBOM not in files:
        raise InvalidInput(
            f"an archive requires {_SBOM}: pass {_SBOM}=FILE, which `tfcarve sbom` writes"
        )
    packed = {
        f"{name}.tar.gz": tar_gz({f"{name}/{path}": data for path, data in files.items()}),
        f"{name}.spdx.json": files[_SBOM],
    }
    sums = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {file}\n" for file, data in sorted(packed.items())
    )
    return packed | {CHECKSUMS: sums.encode()}
