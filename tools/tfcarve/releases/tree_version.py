"""The version that a TensorFlow source tree states."""

import re
from pathlib import Path

_VERSION_H = "tensorflow/core/public/version.h"
_VERSION = re.compile(
    r'^\s*#\s*define\s+TF_(MAJOR|MINOR|PATCH)_VERSION\s+(\d+)|^\s*#\s*define\s+TF_VERSION_(SUFFIX)\s+"([^"]*)"',
    re.MULTILINE,
)
# From 2.20 on.
_VERSION_BZL = "tensorflow/tf_version.bzl"
_VERSION_IN_BZL = re.compile(r'^TF_VERSION\s*=\s*"([^"]+)"', re.MULTILINE)


def version(root: Path) -> str:
    """Returns the version that public/version.h or tf_version.bzl states, else "unknown"."""
    defined = {m[1] or m[3]: m[2] or m[4] for m in _VERSION.finditer(_text_of(root / _VERSION_H))}
    if "MAJOR" in defined:
        numbers = ".".join(defined.get(part, "0") for part in ("MAJOR", "MINOR", "PATCH"))
        return numbers + defined.get("SUFFIX", "")
    stated = _VERSION_IN_BZL.search(_text_of(root / _VERSION_BZL))
    return stated[1] if stated else "unknown"


def _text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
