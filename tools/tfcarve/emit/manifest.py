"""The C++ source that puts a manifest into a library."""

from tfcarve.emit.cstring import quote


def source(manifest: str, *, keep_table: bool) -> bytes:
    """Returns the macros that tools/runtime/manifest.inc requires, and an `#include` of that file.

    Args:
      manifest: the manifest as JSON.
      keep_table: whether the linker must keep the table of registrations.
    """
    keep = "#define TFCARVE_KEEPS_TABLE\n" if keep_table else ""
    text = quote(manifest)
    return f'#define TFCARVE_MANIFEST {text}\n{keep}#include "manifest.inc"\n'.encode()
