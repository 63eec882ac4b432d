"""require_platforms: the check that a package is for platforms of its operating system."""

load("//rules/platforms:table.bzl", "PLATFORMS")

visibility(["//rules/private/..."])

def require_platforms(what, platforms, os):
    """Fails if a platform does not belong to an operating system.

    Args:
      what: rule and target, for the message.
      platforms: list of platform names.
      os: "android", "ios" or "linux".
    """
    known = sorted([name for name, row in PLATFORMS.items() if row.os == os])
    unknown = [name for name in platforms if name not in known]
    if unknown:
        fail("%s: not a platform of %s: %s; known platforms: %s" % (what, os, ", ".join(unknown), ", ".join(known)))
