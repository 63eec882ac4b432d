"""The C++ source that puts a manifest into a library."""

from tfcarve.emit.cstring import quote
from tfcarve.selection.runtime import Runtime

_RUNTIMES = {"plan": "TFCARVE_RUNS_PLANS", "session": "TFCARVE_RUNS_SESSION", "flex": ""}


def source(
    manifest: str,
    runtime: Runtime,
    *,
    keep_table: bool,
    reads_packages: bool = False,
    has_environment: bool = False,
    has_control_flow: bool = False,
) -> bytes:
    """Returns the macros that tools/runtime/api/manifest.inc requires, and an `#include` of that file.

    Args:
      manifest: the manifest as JSON.
      runtime: what runs the graphs of the library.
      keep_table: whether the linker must keep the table of registrations.
      reads_packages: whether the library must contain the reader of TensorFlow's memmapped format.
      has_environment: whether a kernel of the library may ask its device for TensorFlow's environment.
      has_control_flow: whether plans of the library run functions or loops.
    """
    macros = [
        f"TFCARVE_MANIFEST {quote(manifest)}",
        _RUNTIMES[runtime],
        "TFCARVE_KEEPS_TABLE" if keep_table else "",
        "TFCARVE_READS_PACKAGES" if reads_packages else "",
        "TFCARVE_HAS_ENVIRONMENT" if has_environment else "",
        "TFCARVE_HAS_CONTROL_FLOW" if has_control_flow else "",
    ]
    lines = [f"#define {macro}" for macro in macros if macro]
    return "\n".join([*lines, '#include "manifest.inc"', ""]).encode()
