"""Reproducible zip files."""

import io
import zipfile
from collections.abc import Mapping

# The oldest date that a zip file can hold.
_DATE = (1980, 1, 1, 0, 0, 0)


def zip_file(files: Mapping[str, bytes]) -> bytes:
    """Returns a zip file (also a jar or an AAR). Equal files give equal bytes.

    Args:
      files: their contents by path.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[path])
    return buffer.getvalue()
