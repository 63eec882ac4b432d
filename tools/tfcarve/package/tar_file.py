"""Reproducible .tar.gz files."""

import gzip
import io
import tarfile
from collections.abc import Mapping


def tar_gz(files: Mapping[str, bytes]) -> bytes:
    """Returns a .tar.gz. Equal files give equal bytes.

    Args:
      files: their contents by path.
    """
    buffer = io.BytesIO()
    # Without a time and a name in gzip's header.
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size = len(files[path])
            archive.addfile(entry, io.BytesIO(files[path]))
    return buffer.getvalue()
