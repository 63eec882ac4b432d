"""The C++ source that puts a manifest into a library."""

from tfcarve.emit.cstring import quote


def source(manifest: str, *, keep_table: bool, reads_packages: bool = False) -> bytes:
    """Returns the macros that tools/runtime/api/manifest.inc requires, and an `#include` of that file.

    Args:
      manifest: the manifest as JSON.
      keep_table: whether the linker must keep the table of registrations.
      reads_packages: whether the library must contain the reader of TensorFlow's memmapped format.
    """
    keep = "#define TFCARVE_KEEPS_TABLE\n" if keep_table else ""
    packages = "#define TFCARVE_READS_PACKAGES\n" if reads_packages else ""
    text = quote(manifest)
    return f'#define TFCARVE_MANIFEST {text}\n{keep}{packages}#include "manifest.inc"\n'.encode()
