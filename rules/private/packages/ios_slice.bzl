"""ios_slice: the argument that names a library for one iOS platform."""

load("//rules/private/library:minimum_os_version.bzl", "lowest")

visibility(["//rules/private/..."])

# Value of @platforms//cpu -> Apple's name of the CPU.
_ARCHS = {"aarch64": "arm64", "x86_64": "x86_64"}

def ios_slice(row, info, library):
    """Returns PLATFORM:CPU:OLDEST=LIBRARY.

    Args:
      row: of the platform table.
      info: TfMobileLibraryInfo of the library.
      library: File.
    """
    platform = "ios-simulator" if row.triple.endswith("-simulator") else "ios"
    version = (info.minimum_os_version or lowest(row)).split(".") + ["0"]
    return "%s:%s:%s=%s" % (platform, _ARCHS[row.cpu], ".".join(version[:2]), library.path)
