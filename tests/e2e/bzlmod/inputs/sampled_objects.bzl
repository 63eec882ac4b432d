"""sampled_objects: an object of each C++ library that a carved library may link, to compile only these."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load("@tfcarve//rules:defs.bzl", "TfMobileLibraryInfo")

_ObjectsInfo = provider(
    doc = "Objects of libraries.",
    fields = {"objects": "depset[File]: of each library the last one, and those that are asked for by name."},
)

# An override, and sources that include more headers than others of their library.
_NAMED = [
    "process_state",
    "tools_runtime_session_1",
]

# The attributes of rules that lead to libraries: of most rules, of carved libraries, and of tensorflow_release.
_ATTRIBUTES = [
    "deps",
    "_benchmark_model",
    "_c_api",
    "_math",
    "_run_model",
    "_tensorflow",
    "_threads",
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

sampled_objects = rule(
    implementation = lambda ctx: [DefaultInfo(files = ctx.attr.library[_ObjectsInfo].objects)],
    doc = "Its files are the objects of libraries, in the configuration of a carved library.",
    attrs = {
        "library": attr.label(
            aspects = [_sampled_aspect],
            doc = "The carved library. Libraries that it does not link but that the release has are sampled, too.",
            mandatory = True,
            providers = [TfMobileLibraryInfo],
        ),
    },
)
