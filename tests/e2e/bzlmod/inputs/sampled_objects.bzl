"""sampled_objects: an object of each C++ library that a target links, to compile only these."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load("@tfcarve//rules/private/tensorflow:release.bzl", "TENSORFLOW_HEADERS")

_ObjectsInfo = provider(
    doc = "Objects of libraries.",
    fields = {"objects": "depset[File]: of each library the last one, and those that are asked for by name."},
)

# Sources that include more headers than others of their library.
_NAMED = ["tools_runtime_session_1"]

# The attributes of rules that lead to libraries: of most rules, and of tensorflow_release.
_ATTRIBUTES = [
    "deps",
    "core_registering",
    "flex_delegate",
    "optional",
    "session",
    "unit_sources",
]

def _stem(file):
    return file.basename.partition(".")[0]

def _sampled_aspect_impl(target, ctx):
    own = []
    if CcInfo in target:
        own = [
            member
            for linker_input in target[CcInfo].linking_context.linker_inputs.to_list()
            if linker_input.owner == target.label
            for library in linker_input.libraries
            for member in library.pic_objects or library.objects or []
        ]
    deps = []
    for name in _ATTRIBUTES:
        value = getattr(ctx.rule.attr, name, [])
        deps += value if type(value) == "list" else [value]
    return [_ObjectsInfo(objects = depset(
        # Sources that are compiled alone come first, groups of sources last.
        own[-1:] + [member for member in own[:-1] if _stem(member) in _NAMED],
        transitive = [dep[_ObjectsInfo].objects for dep in deps if _ObjectsInfo in dep],
    ))]

_sampled_aspect = aspect(
    implementation = _sampled_aspect_impl,
    attr_aspects = _ATTRIBUTES,
)

_library_config = transition(
    implementation = lambda _settings, _attr: {
        "//command_line_option:compilation_mode": "opt",
        "//command_line_option:force_pic": True,
    },
    inputs = [],
    outputs = [
        "//command_line_option:compilation_mode",
        "//command_line_option:force_pic",
    ],
)

sampled_objects = rule(
    implementation = lambda ctx: [DefaultInfo(files = depset(transitive = [
        target[_ObjectsInfo].objects
        for target in ctx.attr.libraries + [ctx.attr._release]
    ]))],
    doc = "Its files are the objects of some libraries, and of all that a TensorFlow release links.",
    cfg = _library_config,
    attrs = {
        "libraries": attr.label_list(
            aspects = [_sampled_aspect],
            doc = "Libraries; their dependencies are sampled, too.",
            mandatory = True,
        ),
        "_release": attr.label(
            aspects = [_sampled_aspect],
            default = TENSORFLOW_HEADERS.same_package_label("release"),
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
