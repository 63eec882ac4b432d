"""The C++ source that embeds a manifest in a library."""

from tfcarve.emit.cstring import quote
from tfcarve.proof.manifest import Manifest


def unit(manifest: Manifest, keep_table: bool) -> bytes:
    """Returns a C++ source that defines the macros of tools/runtime/manifest.inc and includes it.

    Args:
      manifest: what the library contains.
      keep_table: whether the linker must keep the table of registrations.
    """
    keep = "#define TFCARVE_KEEPS_TABLE\n" if keep_table else ""
    text = quote(manifest.to_json())
    return f'#define TFCARVE_MANIFEST {text}\n{keep}#include "manifest.inc"\n'.encode()
