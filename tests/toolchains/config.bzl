"""The C++ toolchain configuration of a stand-in."""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "variable_with_value",
)
load("@rules_cc//cc:defs.bzl", "cc_common")

visibility("public")

_COMPILES = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
]

_LINKS = [
    ACTION_NAMES.cpp_link_executable,
    ACTION_NAMES.cpp_link_dynamic_library,
    ACTION_NAMES.cpp_link_nodeps_dynamic_library,
]

def _flags(name, actions, flags):
    return feature(
        name = name,
        enabled = True,
        flag_sets = [flag_set(actions = actions, flag_groups = [flag_group(flags = flags)])] if flags else [],
    )

# The arguments of the archiver. Bazel's default for Apple is for an older libtool.
_OBJECTS = flag_group(
    iterate_over = "libraries_to_link",
    expand_if_available = "libraries_to_link",
    flag_groups = [
        flag_group(
            flags = ["%{libraries_to_link.name}"],
            expand_if_equal = variable_with_value(name = "libraries_to_link.type", value = "object_file"),
        ),
        flag_group(
            flags = ["%{libraries_to_link.object_files}"],
            iterate_over = "libraries_to_link.object_files",
            expand_if_equal = variable_with_value(name = "libraries_to_link.type", value = "object_file_group"),
        ),
    ],
)

def _stand_in_config_impl(ctx):
    archive = ["-static", "-o"] if ctx.attr.os == "ios" else ["rcsD"]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        abi_libc_version = "none",
        abi_version = "none",
        compiler = "clang",
        cxx_builtin_include_directories = ctx.attr.include_directories,
        # As in rules_android_ndk: all code is position-independent, but the toolchain does not declare supports_pic.
        features = ([feature(name = "supports_pic", enabled = True)] if ctx.attr.os == "ios" else []) + [
            feature(name = "supports_dynamic_linker", enabled = True),
            _flags("default_compile_flags", _COMPILES, (["-fPIC"] if ctx.attr.os == "android" else []) + ctx.attr.compile_flags),
            _flags("default_link_flags", _LINKS, ctx.attr.link_flags),
            feature(
                name = "archiver_flags",
                enabled = True,
                flag_sets = [flag_set(
                    actions = [ACTION_NAMES.cpp_link_static_library],
                    flag_groups = [
                        flag_group(
                            flags = archive + ["%{output_execpath}"],
                            expand_if_available = "output_execpath",
                        ),
                        _OBJECTS,
                    ],
                )],
            ),
        ],
        host_system_name = "local",
        target_cpu = ctx.attr.cpu,
        # "macosx" makes Bazel use Apple's linker flags: -force_load instead of --whole-archive.
        target_libc = "macosx" if ctx.attr.os == "ios" else "bionic",
        target_system_name = ctx.attr.triple,
        tool_paths = [tool_path(name = name, path = path) for name, path in ctx.attr.tools.items()],
        toolchain_identifier = ctx.attr.triple,
    )

stand_in_config = rule(
    implementation = _stand_in_config_impl,
    attrs = {
        "compile_flags": attr.string_list(doc = "Compiler flags."),
        "cpu": attr.string(mandatory = True, doc = "The platform's name."),
        "include_directories": attr.string_list(doc = "Folders of the system's headers."),
        "link_flags": attr.string_list(doc = "Linker flags."),
        "os": attr.string(mandatory = True, values = ["android", "ios"]),
        "tools": attr.string_dict(doc = "Bazel's name of each tool to its path."),
        "triple": attr.string(mandatory = True, doc = "clang's target triple."),
    },
)
