"""The unit that puts a manifest into a library."""

from tfcarve.emit.cstring import quote
from tfcarve.proof.manifest import Manifest


def unit(manifest: Manifest, keep_table: bool) -> bytes:
    """Returns C++ text: what tools/runtime/manifest.inc asks for, and that file included.

    Args:
      manifest: what the library is to say of itself.
      keep_table: whether the linker is to keep the table of registrations.
    """
    keep = "#define TFCARVE_KEEPS_TABLE\n" if keep_table else ""
    text = quote(manifest.to_json())
    return f'#define TFCARVE_MANIFEST {text}\n{keep}#include "manifest.inc"\n'.encode()
