"""How the linkers of the systems are told the same things."""

load(":lld.bzl", "FOLDING")

visibility(["//rules/private/..."])

# Devices with pages of 16 KB load nothing else.
_ANDROID_PAGES = ["-Wl,-z,max-page-size=16384"]

def collect_garbage(os):
    """Flags that leave out what nothing uses.

    Args:
      os: of a row of the platforms' table; "" for the machine's own.

    Returns:
      list of strings
    """
    return ["-Wl,-dead_strip"] if os == "ios" else ["-Wl,--gc-sections"]

def _packed_relocations(api_level):
    """Flags of the NDK's linker for the smallest relocations that a level of Android's API can load.

    The levels are those of the NDK's docs/BuildSystemMaintainers.md, "RELR and relocation packing"; all that
    there is a library for is above 23, the first that loads packed ones.
    """
    if api_level >= 30:
        return ["-Wl,--pack-dyn-relocs=android+relr"]
    if api_level >= 28:
        return ["-Wl,--pack-dyn-relocs=android+relr", "-Wl,--use-android-relr-tags"]
    return ["-Wl,--pack-dyn-relocs=android"]

def shared_library_flags(os, *, soname, exports, minimum_os_version):
    """Flags of a shared library for ELF.

    Args:
      os: "android" or "linux".
      soname: the name that programs load it by.
      exports: File, the version script of what is exported.
      minimum_os_version: string, as in TfMobileLibraryInfo.

    Returns:
      list of strings
    """
    flags = [
        "-Wl,-soname," + soname,
        "-Wl,--version-script=" + exports.path,
        "-Wl,--build-id=sha1",
        "-Wl,-z,relro,-z,now",
    ]
    if os == "android":
        # The NDK's linker is lld.
        flags += _ANDROID_PAGES + FOLDING + _packed_relocations(int(minimum_os_version or "0"))
    else:
        # What is missing must stop the build, not the app. The NDK's own flags say the same.
        flags.append("-Wl,-z,defs")
    return collect_garbage(os) + flags
