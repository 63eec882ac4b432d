"""How the linkers of the systems are told the same things."""

visibility("private")

def collect_garbage(os):
    """Flags that leave out what nothing uses.

    Args:
      os: of a row of the platforms' table; "" for the machine's own.

    Returns:
      list of strings
    """
    return ["-Wl,-dead_strip"] if os == "ios" else ["-Wl,--gc-sections"]

def shared_library_flags(os, *, soname, exports):
    """Flags of a shared library for ELF.

    Args:
      os: "android" or "linux".
      soname: the name that programs load it by.
      exports: File, the version script of what is exported.

    Returns:
      list of strings
    """
    flags = [
        "-Wl,-soname," + soname,
        "-Wl,--version-script=" + exports.path,
        "-Wl,--build-id=sha1",
        "-Wl,-z,relro,-z,now",
    ]

    # Devices with pages of 16 KB load nothing else.
    return collect_garbage(os) + flags + (["-Wl,-z,max-page-size=16384"] if os == "android" else [])
