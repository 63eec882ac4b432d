"""runtime_objects: the objects of libraries, with the source of each."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load("//rules/private/cc:objects.bzl", "objects_of")
load("//rules/private/cc:source_groups.bzl", "in_repository")
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS", "separate_sources")
load("//rules/private/outputs:declare.bzl", "declare_named")

visibility("public")

_CompiledInfo = provider(
    doc = "The objects of a cc_library and its dependencies.",
    fields = {"objects": "depset[struct(label, source, object)]: Label of the library, and Files."},
)

def _compiled_aspect_impl(target, ctx):
    sources = [
        file
        for source in getattr(ctx.rule.attr, "srcs", [])
        for file in source.files.to_list()
        if file.extension in ["c", "cc"]
    ]
    objects = objects_of([
        library
        for linker_input in target[CcInfo].linking_context.linker_inputs.to_list()
        if linker_input.owner == target.label
        for library in linker_input.libraries
    ]) if CcInfo in target else []
    if [_stem(file) for file in sources] != [_stem(file) for file in objects] and objects:
        fail("%s: its objects are not in the order of its sources" % target.label)
    return [_CompiledInfo(objects = depset(
        [
            struct(label = target.label, source = source, object = member)
            for source, member in zip(sources, objects)
        ],
        transitive = [
            dep[_CompiledInfo].objects
            for dep in getattr(ctx.rule.attr, "deps", [])
            if _CompiledInfo in dep
        ],
    ))]

def _stem(file):
    return file.basename.removesuffix("." + file.extension).removesuffix(".pic")

_compiled_aspect = aspect(
    implementation = _compiled_aspect_impl,
    attr_aspects = ["deps"],
)

def _runtime_objects_impl(ctx):
    kinds = {target.label: "candidate" for target in ctx.attr.candidates} | {target.label: "session" for target in ctx.attr.session}
    compiled = depset(transitive = [
        target[_CompiledInfo].objects
        for target in ctx.attr.candidates + ctx.attr.others + ctx.attr.session
    ]).to_list()
    lines = declare_named(ctx, ".json")
    ctx.actions.write(lines, json.encode([
        struct(
            kind = kinds.get(row.label, "core"),
            source = in_repository(row.source),
            object = row.object.short_path,
        )
        for row in compiled
    ]))
    return [DefaultInfo(files = depset([lines]), runfiles = ctx.runfiles([lines] + [row.object for row in compiled]))]

runtime_objects = rule(
    implementation = _runtime_objects_impl,
    doc = "A JSON list of objects, each with its kind and its source; the objects are in its runfiles.",
    cfg = canonical_config,
    attrs = TRANSITION_ATTRS | CANONICAL_CONFIG_ATTRS | {
        "candidates": attr.label_list(
            aspects = [_compiled_aspect],
            cfg = separate_sources,
            doc = "Libraries whose sources may be optional.",
            mandatory = True,
        ),
        "others": attr.label_list(
            aspects = [_compiled_aspect],
            cfg = separate_sources,
            doc = "Libraries that each carved library contains; with dependencies.",
            mandatory = True,
        ),
        "session": attr.label_list(
            aspects = [_compiled_aspect],
            cfg = separate_sources,
            doc = "Libraries that each carved library with TensorFlow's session contains in addition; without dependencies.",
            mandatory = True,
        ),
    },
)
