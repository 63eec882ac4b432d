"""C++ generated from .proto files.

The rules of @rules_proto are not used: they need their own protobuf module, in addition to the protobuf that TensorFlow is
compiled with.
"""

load("@bazel_skylib//rules:common_settings.bzl", "BuildSettingInfo")

visibility("public")

def _root_of(label, folder = ""):
    """The folder of a repository, or a folder in it, as an action sees it."""
    return "/".join([part for part in [label.workspace_root, folder] if part]) or "."

def _relative(file, root):
    """The path of a source below a folder."""
    return file.path if root == "." else file.path.removeprefix(root + "/")

def _protobuf_root(file):
    """The import root of protobuf's own protos; None for protos of this repository, whose root is the repository's root."""
    before, found, _ = file.path.partition("/google/protobuf/")
    return before if found else None

def _override_root(file):
    """The import root of overrides."""
    return file.path.partition("/tensorflow/core/")[0]

def _proto_sources_impl(ctx):
    headers, sources, optional, session = [], [], [], []
    root = _root_of(ctx.label, ctx.attr.import_root)
    names = [_relative(f, root) for f in ctx.files.srcs]
    for file, name in zip(ctx.files.srcs, names):
        stem = name.removesuffix(".proto")
        headers.append(ctx.actions.declare_file(stem + ".pb.h"))
        kind = session if file in ctx.files.session else optional if file in ctx.files.optional else sources
        kind.append(ctx.actions.declare_file(stem + ".pb.cc"))
    out = headers[0].path.removesuffix("/" + names[0].removesuffix(".proto") + ".pb.h")
    imported = ctx.files.imports
    args = ctx.actions.args()
    lite = ctx.attr._protos[BuildSettingInfo].value == "lite"
    overrides = ctx.files.overrides if lite else []
    args.add(out, format = "--cpp_out=lite:%s" if lite else "--cpp_out=%s")

    # protoc takes a file from the first folder that has it.
    args.add_all(overrides, map_each = _override_root, format_each = "-I%s", uniquify = True)
    args.add(root, format = "-I%s")
    args.add_all(
        imported,
        map_each = _protobuf_root,
        format_each = "-I%s",
        uniquify = True,
    )
    args.add_all(names)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        arguments = [args],
        inputs = ctx.files.srcs + imported + overrides,
        outputs = headers + sources + optional + session,
        mnemonic = "TfProtoSources",
        progress_message = "Generating C++ for %d protos" % len(names),
    )
    return [
        DefaultInfo(files = depset(headers + sources + optional + session)),
        OutputGroupInfo(
            hdrs = depset(headers),
            srcs = depset(sources),
            optional_srcs = depset(optional),
            session_srcs = depset(session),
        ),
    ]

proto_sources = rule(
    implementation = _proto_sources_impl,
    doc = "All .pb.h and .pb.cc of a list of protos, in one action. Must be in the root package.",
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "import_root": attr.string(doc = "The folder of this repository that imports start at."),
        "imports": attr.label_list(
            allow_files = [".proto"],
            doc = "Protos that are imported and not generated here: of this repository, and protobuf's own.",
        ),
        "optional": attr.label_list(
            allow_files = [".proto"],
            doc = "The files of `srcs` whose generated sources are in the output group optional_srcs, not in srcs.",
        ),
        "overrides": attr.label_list(
            allow_files = [".proto"],
            doc = "Files that replace the files of `srcs` with the same paths if messages are lite.",
        ),
        "session": attr.label_list(
            allow_files = [".proto"],
            doc = "The files of `srcs` whose generated sources are in the output group session_srcs, not in the other groups.",
        ),
        "_protos": attr.label(default = "//rules/config:protos"),
        "_protoc": attr.label(
            default = "//third_party/protobuf:protoc",
            executable = True,
            cfg = "exec",
        ),
    },
)
