"""What the rules that run a model in a carved library share."""

load("//rules/platforms:table.bzl", "PLATFORMS")

visibility(["//rules/private/..."])

_PLATFORMS = "//command_line_option:platforms"

def _of_platform_impl(settings, attr):
    if not attr.platform:
        return {_PLATFORMS: settings[_PLATFORMS]}
    return {_PLATFORMS: [str(Label("//rules/platforms:" + attr.platform))]}

# The platform that the attribute `platform` names, else the build's own.
of_platform = transition(
    implementation = _of_platform_impl,
    inputs = [_PLATFORMS],
    outputs = [_PLATFORMS],
)

def check_platform(rule, name, platform):
    """Fails where no machine that builds can run a platform's programs.

    Args:
      rule: its name, for messages.
      name: of the target.
      platform: its name, or None for the build's own.
    """
    if platform and platform not in PLATFORMS:
        fail("%s %s: no platform %s; there are: %s" % (rule, name, platform, ", ".join(sorted(PLATFORMS))))
    if platform and PLATFORMS[platform].os != "linux":
        fail("%s %s: programs for %s run on no machine that builds; Linux ones do" % (rule, name, platform))

def check_node(node):
    """Fails where a string can't be bound to a file by NODE=FILE.

    Args:
      node: the string.
    """
    if not node or "=" in node or "\n" in node:
        fail("%r is no name of a node" % node)

def by_file(bindings):
    """From nodes and their files to files and their nodes: an attribute can't have it the other way round.

    Args:
      bindings: dict of node to label.

    Returns:
      dict of label to nodes, a line each: for attr.label_keyed_string_dict.
    """
    files = {}
    for node, file in bindings.items():
        check_node(node)
        files.setdefault(file, []).append(node)
    return {file: "\n".join(nodes) for file, nodes in files.items()}

def bound(option, files):
    """The options that bind nodes to files.

    Args:
      option: "--input", say.
      files: an attribute's value that by_file made.

    Returns:
      list of strings: "--input=NODE=PATH".
    """
    return [
        "%s=%s=%s" % (option, node, target[DefaultInfo].files.to_list()[0].short_path)
        for target, nodes in files.items()
        for node in nodes.split("\n")
    ]
