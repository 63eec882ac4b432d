"""C++ made from .proto files: by protoc, and by TensorFlow's own generator of text parsers.

The rules of @rules_proto are not used: they need a protobuf module of their own beside the
protobuf that TensorFlow is compiled with.
"""

visibility("public")

def _relative_to_repository(file, label):
    """The path of a source below its repository's root."""
    root = label.workspace_root
    return file.path.removeprefix(root + "/") if root else file.path

def _proto_sources_impl(ctx):
    headers, sources = [], []
    names = [_relative_to_repository(f, ctx.label) for f in ctx.files.srcs]
    for name in names:
        stem = name.removesuffix(".proto")
        headers.append(ctx.actions.declare_file(stem + ".pb.h"))
        sources.append(ctx.actions.declare_file(stem + ".pb.cc"))
    out = headers[0].path.removesuffix("/" + names[0].removesuffix(".proto") + ".pb.h")
    well_known = ctx.files.well_known_protos
    well_known_root = well_known[0].path.partition("/google/protobuf/")[0]
    args = ctx.actions.args()
    args.add(out, format = "--cpp_out=%s")
    args.add(ctx.label.workspace_root or ".", format = "-I%s")
    args.add(well_known_root, format = "-I%s")
    args.add_all(names)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        arguments = [args],
        inputs = ctx.files.srcs + well_known,
        outputs = headers + sources,
        mnemonic = "TfProtoSources",
        progress_message = "Generating C++ for %d protos" % len(names),
    )
    return [
        DefaultInfo(files = depset(headers + sources)),
        OutputGroupInfo(hdrs = depset(headers), srcs = depset(sources)),
    ]

proto_sources = rule(
    implementation = _proto_sources_impl,
    doc = "All .pb.h and .pb.cc of a list of protos, in one action. Must stand in the root package.",
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "well_known_protos": attr.label(mandatory = True),
        "_protoc": attr.label(
            default = "@tfcarve_protobuf//:protoc",
            executable = True,
            cfg = "exec",
        ),
    },
)

def _proto_text_sources_impl(ctx):
    outputs, headers, sources = [], [], []
    names = [_relative_to_repository(f, ctx.label) for f in ctx.files.srcs]
    for name in names:
        stem = name.removesuffix(".proto")
        headers.append(ctx.actions.declare_file(stem + ".pb_text.h"))
        headers.append(ctx.actions.declare_file(stem + ".pb_text-impl.h"))
        sources.append(ctx.actions.declare_file(stem + ".pb_text.cc"))
    outputs = headers + sources
    args = ctx.actions.args()
    args.add(outputs[0].dirname)
    args.add(names[0].rpartition("/")[0] + "/")
    args.add_all(ctx.files.srcs)
    args.add(ctx.file.placeholder)
    ctx.actions.run(
        executable = ctx.executable.generator,
        arguments = [args],
        inputs = ctx.files.srcs + [ctx.file.placeholder],
        outputs = outputs,
        mnemonic = "TfProtoTextSources",
        progress_message = "Generating text parsers for %d protos" % len(names),
    )
    return [
        DefaultInfo(files = depset(outputs)),
        OutputGroupInfo(hdrs = depset(headers), srcs = depset(sources)),
    ]

proto_text_sources = rule(
    implementation = _proto_text_sources_impl,
    doc = "The .pb_text.{h,cc} and .pb_text-impl.h of protos in one folder, by TensorFlow's generator.",
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"], mandatory = True),
        "placeholder": attr.label(
            doc = "The file by which the generator finds the root that imports start at.",
            allow_single_file = True,
            mandatory = True,
        ),
        "generator": attr.label(executable = True, cfg = "exec", mandatory = True),
    },
)
