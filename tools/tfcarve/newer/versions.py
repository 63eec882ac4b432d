"""Versions of TensorFlow and the names of their releases. Pure."""


def release_of(version: str) -> str:
    """Returns the name of the release of a version such as 2.14.1: its major and minor number."""
    return ".".join(version.split(".")[:2])


def order(release: str) -> tuple[int, ...]:
    """Returns the key by which names of releases, such as 2.9 and 2.14, are sorted; () if it is not one."""
    numbers = release.split(".")
    return tuple(map(int, numbers)) if all(map(str.isdecimal, numbers)) else ()
