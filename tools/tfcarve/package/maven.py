"""Maven repositories: folders from which Gradle and Maven install a package by its coordinates. Pure.

Formats: Maven's "Repository Layout", "POM Reference" and "Repository Metadata".
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from tfcarve.errors import InvalidInput

# Maven's own limits on the parts of coordinates; a path is made of them.
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_COORDINATES = re.compile(f"({_PART}):({_PART}):({_PART})")
_CHECKSUMS = ("md5", "sha1", "sha256", "sha512")

_POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <packaging>{packaging}</packaging>
  <name>{artifact}</name>
  <description>{description}</description>
  <licenses>
    <license>
      <name>Apache-2.0</name>
      <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
      <distribution>repo</distribution>
    </license>
  </licenses>
</project>
"""

_METADATA = """\
<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>{group}</groupId>
  <artifactId>{artifact}</artifactId>
  <versioning>
    <latest>{version}</latest>
    <release>{version}</release>
    <versions>
{versions}
    </versions>
  </versioning>
</metadata>
"""


@dataclass(frozen=True)
class Coordinates:
    """The name of a package in a Maven repository.

    Attributes:
      group: e.g. "org.example".
      artifact: e.g. "tensorflow".
      version: e.g. "1.0".
    """

    group: str
    artifact: str
    version: str


def coordinates(text: str) -> Coordinates:
    """Reads GROUP:ARTIFACT:VERSION.

    Raises:
      InvalidInput: it is not of this form, or a part has characters that Maven does not allow.
    """
    found = _COORDINATES.fullmatch(text)
    if not found or ".." in text or "SNAPSHOT" in found[3]:
        raise InvalidInput(
            f"{text!r} is not GROUP:ARTIFACT:VERSION, such as org.example:tensorflow:1.0, with letters, digits, "
            "'.', '-' and '_', and a version that is not a SNAPSHOT"
        )
    return Coordinates(*found.groups())


def folder(where: Coordinates) -> str:
    """Returns the path of the folder with the versions of a package."""
    return f"{where.group.replace('.', '/')}/{where.artifact}"


def repository(
    where: Coordinates,
    packaging: str,
    description: str,
    artifacts: Mapping[str, bytes],
    others: Collection[str] = (),
) -> dict[str, bytes]:
    """Returns the files of one version of a package, and the list of its versions, by their path in a repository.

    Args:
      where: the coordinates of the package.
      packaging: the file extension of its main file, e.g. "aar".
      description: one sentence for people.
      artifacts: the contents of its files, by what follows "ARTIFACT-VERSION" in their names: ".aar", "-sources.jar".
      others: versions that the repository has already.
    """
    names = {name: escape(getattr(where, name)) for name in ("group", "artifact", "version")}
    pom = _POM.format(**names, packaging=escape(packaging), description=escape(description))
    versions = [*sorted(set(others) - {where.version}), where.version]
    elements = "\n".join(f"      <version>{escape(version)}</version>" for version in versions)
    stem = f"{folder(where)}/{where.version}/{where.artifact}-{where.version}"
    files = {
        f"{folder(where)}/maven-metadata.xml": _METADATA.format(
            **names, versions=elements
        ).encode(),
        f"{stem}.pom": pom.encode(),
        **{stem + suffix: data for suffix, data in artifacts.items()},
    }
    return files | {
        f"{path}.{name}": hashlib.new(name, data, usedforsecurity=False).hexdigest().encode()
        for path, data in files.items()
        for name in _CHECKSUMS
    }
