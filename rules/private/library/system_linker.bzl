"""The same linker options for the linkers of all operating systems."""

load(":lld.bzl", "FOLDING")

visibility(["//rules/private/..."])

# Devices with 16 KB pages load only libraries with this alignment.
_ANDROID_PAGES = ["-Wl,-z,max-page-size=16384"]

def collect_garbage(os):
    """Flags that remove unreferenced sections.

    Args:
      os: of a row of the platform table; "" for the build machine.

    Returns:
      list of strings
    """
    return ["-Wl,-dead_strip"] if os == "ios" else ["-Wl,--gc-sections"]

def _packed_relocations(api_level):
    """Flags of the NDK's linker for the smallest relocations that an API level of Android can load.

    The levels come from the NDK's docs/BuildSystemMaintainers.md, "RELR and relocation packing". Libraries are built
    for levels above 23, the first that loads packed relocations.
    """
    if api_level >= 30:
        return ["-Wl,--pack-dyn-relocs=android+relr"]
    if api_level >= 28:
        return ["-Wl,--pack-dyn-relocs=android+relr", "-Wl,--use-android-relr-tags"]
    return ["-Wl,--pack-dyn-relocs=android"]

def framework_flags(*, name, exports):
    """Flags of the shared library of a framework, for Mach-O.

    Args:
      name: of the framework.
      exports: File, the list of the exported symbols.

    Returns:
      list of strings
    """
    return collect_garbage("ios") + [
        "-Wl,-install_name,@rpath/{name}.framework/{name}".format(name = name),
        "-Wl,-exported_symbols_list," + exports.path,
        # Without the names of functions that are not exported, and without debug information.
        "-Wl,-x",
        "-Wl,-S",
    ]

def shared_library_flags(os, *, soname, exports, minimum_os_version):
    """Flags of a shared library for ELF.

    Args:
      os: "android" or "linux".
      soname: the name that programs load it by.
      exports: File, the version script with the exported symbols.
      minimum_os_version: string, the minimum OS version, an API level of Android ("24") or a version of iOS ("13.0");
        empty for Linux, and if the toolchain does not say.

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
        # Undefined symbols must stop the build, not the app. The NDK's flags include this.
        flags.append("-Wl,-z,defs")
    return collect_garbage(os) + flags
