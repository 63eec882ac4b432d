"""A wheel with a carved library, its models and the Python interface, or with a Flex delegate. Pure.

Sources of the format: the PyPA specification "Binary distribution format"; PEP 639 (licenses); PEP 770 (SBOMs).
"""

from __future__ import annotations

import base64
import hashlib
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tfcarve import __version__
from tfcarve.emit import templates
from tfcarve.errors import InvalidInput
from tfcarve.package.zip_file import zip_file

_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
# The release part of the PyPA specification "Version specifiers", with an optional pre-release.
_VERSION = re.compile(r"\d+(?:\.\d+){0,3}(?:(?:a|b|rc)\d+)?(?:\.post\d+)?")
_MODEL = re.compile(r"\w[\w.-]*", re.ASCII)
# The modules of tfcarve.client that a wheel contains.
MODULES = ("c_interface", "calls", "model", "sized_structure")
_OWN_PACKAGE = "tfcarve.client"
DELEGATE = "libtensorflowlite_flex.so"


@dataclass(frozen=True)
class Wheel:
    """The content of a wheel.

    Attributes:
      name: of the package and of the distribution.
      version: such as "1.0".
      tag: of the platform.
      library_name: the file name of the library.
      library: the shared library.
      models: the models, by their names; none for a Flex delegate.
      modules: the sources of MODULES, by their names.
      licenses: texts of licenses, by their paths in the folder licenses.
      sbom: the SBOM of the library, SPDX 2.3 as JSON; empty for none.
    """

    name: str
    version: str
    tag: str
    library_name: str
    library: bytes
    models: Mapping[str, bytes]
    modules: Mapping[str, str]
    licenses: Mapping[str, bytes]
    sbom: bytes = b""

    @property
    def is_delegate(self) -> bool:
        """Whether the library is a Flex delegate, which TensorFlow Lite's interpreter loads."""
        return self.library_name == DELEGATE

    @property
    def file_name(self) -> str:
        """The name of the file."""
        return f"{self.name}-{self.version}-py3-none-{self.tag}.whl"


def require_valid(name: str, version: str) -> None:
    """Raises InvalidInput if a package or a version cannot have that name."""
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise InvalidInput(
            f"{name!r} is no name of a Python package: use lower-case letters, digits and single underscores"
        )
    if not _VERSION.fullmatch(version):
        raise InvalidInput(f"{version!r} is no version of a Python package, such as 1.0 or 2.1rc1")


def is_model_name(name: str) -> bool:
    """Returns whether a model can have that name, which is part of a file name."""
    return bool(_MODEL.fullmatch(name))


def wheel(content: Wheel) -> bytes:
    """Returns the file; equal contents give equal bytes. Raises InvalidInput for an invalid name or version."""
    require_valid(content.name, content.version)
    info = f"{content.name}-{content.version}.dist-info"
    kind = "delegate" if content.is_delegate else "models"
    files = {
        f"{content.name}/__init__.py": _filled(f"{kind}.py", content),
        f"{content.name}/py.typed": b"",
        f"{content.name}/{content.library_name}": content.library,
        f"{info}/METADATA": _filled("METADATA", content),
        f"{info}/WHEEL": _filled("WHEEL", content),
    }
    for module in () if content.is_delegate else MODULES:
        # In the wheel, the modules are in its own package.
        source = content.modules[module].replace(_OWN_PACKAGE, content.name)
        files[f"{content.name}/{module}.py"] = source.encode()
    files.update({f"{content.name}/models/{n}.pb": m for n, m in content.models.items()})
    files.update({f"{info}/licenses/{name}": text for name, text in content.licenses.items()})
    if content.sbom:
        files[f"{info}/sboms/{content.name}.spdx.json"] = content.sbom
    record = f"{info}/RECORD"
    rows = [f"{path},{_digest(data)},{len(data)}" for path, data in sorted(files.items())]
    files[record] = ("\n".join([*rows, f"{record},,"]) + "\n").encode()
    return zip_file(files)


def _filled(name: str, content: Wheel) -> bytes:
    return templates.fill(f"wheel/{name}.j2", wheel=content, tfcarve=__version__)


def _digest(data: bytes) -> str:
    text = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"sha256={text}"
