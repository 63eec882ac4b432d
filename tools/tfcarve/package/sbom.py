"""SBOMs: lists of the sources that a library is made of, for security reviews. Pure.

Format: SPDX 2.3, JSON (ISO/IEC 5962:2021). Names of packages: Package URL, Common Platform Enumeration 2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tfcarve.package.components import Component

_ROOT = "SPDXRef-library"
# The oldest date of a zip file, as in other packages: equal inputs give equal bytes.
_CREATED = "1980-01-01T00:00:00Z"
_GITHUB = re.compile(
    r"https://github\.com/([^/]+/[^/]+)/archive/(?:refs/tags/)?(?:[^/]+/)?([^/]+?)(?:\.tar\.gz|\.zip)"
)


def document(
    *,
    name: str,
    platform: str,
    sha256: str,
    own_license: str,
    components: Sequence[Component],
    tfcarve: str,
) -> bytes:
    """Returns an SBOM as JSON.

    Args:
      name: of the shared library.
      platform: that it is for.
      sha256: of the shared library.
      own_license: an SPDX license expression for tfcarve's own code.
      components: the sources.
      tfcarve: tfcarve's version.
    """
    full_name = f"{name}-{platform}"
    own = {
        "SPDXID": "SPDXRef-tfcarve",
        "name": "tfcarve",
        "versionInfo": tfcarve,
        "downloadLocation": "NOASSERTION",
        **_common(own_license),
    }
    library = {
        "SPDXID": _ROOT,
        "name": name,
        "downloadLocation": "NOASSERTION",
        "primaryPackagePurpose": "LIBRARY",
        "checksums": [{"algorithm": "SHA256", "checksumValue": sha256}],
        "comment": f"TensorFlow with the ops and kernels that the models of an app need, for {platform}.",
        **_common(" AND ".join(_expressions(own_license, components))),
    }
    content = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": full_name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{full_name}-{sha256}",
        "creationInfo": {"created": _CREATED, "creators": [f"Tool: tfcarve-{tfcarve}"]},
        "packages": [library, own, *map(_package, components)],
        "relationships": [
            _relationship("SPDXRef-DOCUMENT", "DESCRIBES", _ROOT),
            _relationship(_ROOT, "CONTAINS", "SPDXRef-tfcarve"),
            *(
                _relationship(_ROOT, "CONTAINS" if one.linked else "GENERATED_FROM", _id(one))
                for one in components
            ),
        ],
    }
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _expressions(own: str, components: Iterable[Component]) -> list[str]:
    return sorted({own, *(part for one in components for part in one.facts.license.split(" AND "))})


def _id(component: Component) -> str:
    return "SPDXRef-" + component.name.replace("_", "-")


def _common(license_text: str) -> dict[str, Any]:
    return {
        "filesAnalyzed": False,
        "licenseConcluded": license_text,
        "licenseDeclared": license_text,
        "copyrightText": "NOASSERTION",
        "supplier": "NOASSERTION",
    }


def _package(component: Component) -> dict[str, Any]:
    checksum = [{"algorithm": "SHA256", "checksumValue": component.sha256}]
    return {
        "SPDXID": _id(component),
        "name": component.facts.title,
        "versionInfo": component.version,
        "downloadLocation": component.upstream if component.is_upstream else "NOASSERTION",
        **({"packageFileName": component.archive} if component.archive else {}),
        **({"checksums": checksum} if component.sha256 else {}),
        "comment": "Objects of its sources." if component.linked else "Code of its headers.",
        **_common(component.facts.license),
        "externalRefs": list(_references(component)),
    }


def _references(component: Component) -> Iterable[dict[str, str]]:
    cpe, found = component.facts.cpe, _GITHUB.fullmatch(component.upstream)
    if cpe:
        yield {
            "referenceCategory": "SECURITY",
            "referenceType": "cpe23Type",
            "referenceLocator": f"cpe:2.3:a:{cpe}:{component.version}:*:*:*:*:*:*:*",
        }
    if found:
        yield {
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:github/{found[1].lower()}@{found[2]}",
        }


def _relationship(element: str, kind: str, related: str) -> dict[str, str]:
    return {
        "spdxElementId": element,
        "relationshipType": kind,
        "relatedSpdxElement": related,
    }
