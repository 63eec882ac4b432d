"""origin: the files of a third-party source that say where it comes from and what its license is."""

visibility("public")

def origin(name = "origin"):
    """Declares a filegroup with the source's license and with what bootstrap.trees wrote about its archive.

    A folder of the user, and TensorFlow's Python package, do not have all of these files.

    Args:
      name: of the target.
    """
    native.filegroup(
        name = name,
        srcs = native.glob(
            [
                "COPYING*",
                "LICENSE*",
                "README.ijg",
                "tfcarve_source.json",
            ],
            allow_empty = True,
        ),
        visibility = ["//visibility:public"],
    )
