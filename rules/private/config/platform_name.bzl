"""PLATFORM_NAME: the platform that a target is built for."""

load("//rules/platforms:table.bzl", "PLATFORMS")

visibility(["//rules/private/..."])

# The row of the platform table that a target is built for, as an attribute of a rule; "" if there is none.
PLATFORM_NAME = select({
    Label("//rules/platforms:is_" + name): name
    for name in PLATFORMS
} | {"//conditions:default": ""})
