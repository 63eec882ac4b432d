"""Functions that rules share that run a model in a carved library."""

load("//rules/platforms:table.bzl", "PLATFORMS")
load(":model_files.bzl", "TEXT_EXTENSIONS")

visibility(["//rules/private/..."])

def check_platform(rule, name, platform):
    """Fails if the machine that builds cannot run programs for a platform.

    Args:
      rule: its name, for messages.
      name: of the target.
      platform: its name, or None for the platform of the build.
    """
    if platform and platform not in PLATFORMS:
        fail("%s %s: unknown platform %s; known platforms: %s" % (rule, name, platform, ", ".join(sorted(PLATFORMS))))
    if platform and PLATFORMS[platform].os != "linux":
        fail("%s %s: programs for %s cannot run on the machine that builds; only programs for Linux can" % (rule, name, platform))

def check_node(node):
    """Fails if a string cannot be the node in NODE=FILE.

    Args:
      node: the string.
    """
    if not node or "=" in node or "\n" in node:
        fail("%r is not the name of a node" % node)

def require_binary(label, model):
    """Fails if a model is a text file, which a library does not read.

    Args:
      label: of the target that runs the model.
      model: File.
    """
    for extension in TEXT_EXTENSIONS:
        if model.basename.endswith(extension):
            fail("%s: %s is a text file: a library reads only binary GraphDefs. Run `tfcarve freeze %s -o %s.pb` and name the new file" % (
                label,
                model.short_path,
                model.short_path,
                model.short_path.removesuffix(extension),
            ))

def by_file(bindings):
    """Inverts a dict of nodes and files, because attributes cannot have labels as values.

    Args:
      bindings: dict of node to label.

    Returns:
      dict, label to nodes, one on each line: for attr.label_keyed_string_dict.
    """
    files = {}
    for node, file in bindings.items():
        check_node(node)
        files.setdefault(file, []).append(node)
    return {file: "\n".join(nodes) for file, nodes in files.items()}

def bound(option, files):
    """The options that bind nodes to files.

    Args:
      option: for example "--input".
      files: value of an attribute set by by_file.

    Returns:
      list of strings: "--input=NODE=PATH".
    """
    return [
        "%s=%s=%s" % (option, node, target[DefaultInfo].files.to_list()[0].short_path)
        for target, nodes in files.items()
        for node in nodes.split("\n")
    ]
