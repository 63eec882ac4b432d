"""The targets of a TensorFlow source tree: those of @tfcarve_tensorflow_<release>."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")
load("@rules_cc//cc:defs.bzl", "cc_library")
load("//rules/private/cc:precompiled_header.bzl", "precompiled_header")
load("//rules/private/library:proto_sources.bzl", "proto_sources")
load("//rules/private/sources:origin.bzl", "origin")
load("//rules/private/tensorflow:kernel_index.bzl", "kernel_index")
load("//rules/private/tensorflow:release.bzl", "TENSORFLOW_COPTS", "tensorflow_release")
load("//rules/private/tensorflow:runtime_objects.bzl", "runtime_objects")
load("//rules/private/tensorflow:tensorflow_library.bzl", "tensorflow_library")

visibility("public")

# Headers that TensorFlow's sources include and that TensorFlow's own build generates.
_TEXT_HEADERS = ["tensorflow/core/framework/%s.pb_text.h" % name for name in [
    "attr_value",
    "tensor",
    "types",
]]

_OPTIONAL_THIRD_PARTY = [
    "@tfcarve_abseil//:optional",
    "@tfcarve_double_conversion//:optional",
    "@tfcarve_re2//:optional",
]

# Sources that cannot be compiled together with others of their folder.
_ALONE = [
    "tensorflow/core/common_runtime/memory_types.cc",  # gives the name Endpoint, which a header declares, to a type of its own
]

_FLEX_COPTS = [
    "-include",
    "tools/runtime/flex/eager_runtime.h",
]

def tensorflow_tree(name, release, sources):
    """Declares the targets of the tree in whose root the BUILD file is.

    Args:
      name: of the target with TensorFlowInfo, which the rules read.
      release: name of the release.
      sources: SOURCES in core.bzl of the release.
    """
    _protos(release, sources)
    _headers(release, sources)
    _runtime(release, sources)
    _flex(sources)
    _units(release, sources)
    _java_classes()
    _files(sources)
    _release(name, sources)

# TensorFlow's files that overrides replace. A unit includes such a file if a model needs it. Files of the platform are left out: no
# model needs them, and each file in this list is an input of all compiles.
def _replaced(sources):
    return [
        source
        for source in sources.overridden_sources
        if not source.startswith("tensorflow/core/platform/")
    ]

def _override(release, sources, path):
    """The place of an override of the runtime: in the release's folder, or in the folder that releases share."""
    package = "third_party/tensorflow"
    if path in sources.own_overrides:
        package += "/releases/" + release
    file = "overrides/core/" + path
    return struct(
        label = "@tfcarve//%s:%s" % (package, file),
        path = "%s/%s" % (package, file),
    )

def _protos(release, sources):
    proto_sources(
        name = "protos",
        srcs = sources.core_protos,
        imports = ["@tfcarve_protobuf//:well_known_protos"],
        optional = sources.optional_protos,
        overrides = [_override(release, sources, proto).label for proto in sources.overridden_protos],
        session = sources.session_protos,
    )

    for part in ["hdrs", "optional_srcs", "session_srcs", "srcs"]:
        native.filegroup(
            name = "protos_" + part,
            srcs = [":protos"],
            output_group = part,
        )

def _headers(release, sources):
    for header in _TEXT_HEADERS:
        write_file(
            name = header + "_file",
            out = header,
            content = [
                '#include "attr_value_text.h"',
                "",
            ],
        )

    cc_library(
        name = "source_headers",
        includes = ["."],
        textual_hdrs = sources.core_headers,
        deps = [
            "@tfcarve_abseil//:abseil",
            "@tfcarve_double_conversion//:double_conversion",
            "@tfcarve_eigen//:eigen",
            "@tfcarve_farmhash//:farmhash",
            "@tfcarve_ml_dtypes//:ml_dtypes",
            "@tfcarve_nsync//:nsync",
            "@tfcarve_zlib//:zlib",
        ],
    )

    # The headers of the core, for sources that are compiled against the core.
    cc_library(
        name = "core_headers",
        hdrs = [":protos_hdrs"],
        defines = select({
            "@tfcarve//rules/config:without_log_messages": ["TFCARVE_WITHOUT_LOG_MESSAGES"],
            "//conditions:default": [],
        }),
        includes = ["."],
        deps = [
            ":source_headers",
            "@tfcarve//third_party/tensorflow/releases/%s:generated_headers" % release,
            "@tfcarve//tools/runtime/shims:ops_to_register",
            "@tfcarve_protobuf//:runtime",
        ],
    )

    # The header is compiled once for each platform instead of once for each source.
    precompiled_header(
        name = "precompiled_headers",
        copts = TENSORFLOW_COPTS,
        hdr = "@tfcarve//tools/runtime/shims:tensorflow_headers.h",
        variable = "TENSORFLOW_HEADERS",
        deps = [
            ":core_headers",
            "@tfcarve//third_party/tensorflow:override_headers",
        ],
    )

    # The precompiled header of units that are compiled for speed: compilers require equal flags for a header and a source.
    precompiled_header(
        name = "hot_precompiled_headers",
        copts = TENSORFLOW_COPTS,
        hdr = "@tfcarve//tools/runtime/shims:tensorflow_headers.h",
        include_as = "hot/tensorflow_headers.h",
        options = "@tfcarve//rules/config:hot_copts",
        variable = "HOT_TENSORFLOW_HEADERS",
        deps = [
            ":core_headers",
            "@tfcarve//third_party/tensorflow:override_headers",
        ],
    )

# The labels of sources by their paths: those that are in a list, or those that are not.
def _only(labels, paths):
    return [label for path, label in labels.items() if path in paths]

def _without(labels, paths):
    return [label for path, label in labels.items() if path not in paths]

def _runtime(release, sources):
    # Sources that register something for code that refers to them.
    referenced = [
        "tensorflow/core/common_runtime/copy_tensor.cc",
        sources.tsl + "/platform/default/env.cc",
    ]

    # The label of each source of the runtime, by its path in the lists of core.bzl. Sources that are compiled alone: overrides, which
    # give other meanings to names of TensorFlow, and sources that a library has only if it refers to them.
    together = {
        source: source
        for source in sources.core_sources
        if source not in sources.overridden_sources + referenced + _ALONE
    }
    alone = {
        source: source
        for source in referenced + [source for source in _ALONE if source in sources.core_sources]
        if source not in sources.overridden_sources
    } | {
        override.path: override.label
        for override in [_override(release, sources, source) for source in sources.overridden_sources]
    } | {
        "tools/runtime/engine/environment.cc": "@tfcarve//tools/runtime/engine:environment.cc",
    }
    parts = sources.environment_sources + sources.shape_function_sources
    of_session = [path for path in sources.session_sources if path not in parts]
    optional = [path for path in sources.optional_sources if path not in sources.session_sources + parts]

    # The runtime. It does not depend on a selection, so all libraries of an app share it.
    tensorflow_library(
        name = "core",
        srcs = _without(alone, sources.optional_sources) + _TEXT_HEADERS,
        grouped_srcs = _without(together, sources.optional_sources) + [
            ":protos_srcs",
            "@tfcarve//tools/runtime/shims:attr_value_text.cc",
        ],
        linkopts = [
            "-ldl",
            "-lm",
            "-pthread",
        ] + select({
            "@platforms//os:android": ["-llog"],
            # Matrix products in kernels that call cblas.
            "@platforms//os:ios": ["-Wl,-framework,Accelerate"],
            "//conditions:default": [],
        }),
        textual_hdrs = _replaced(sources),
        deps = [
            "@tfcarve//tools/runtime/engine:engine_factory",
            "@tfcarve//tools/runtime/shims:attr_value_text",
            "@tfcarve//tools/runtime/shims:override_headers",
        ],
    )

    # TensorFlow's environment: files, threads and times. A library with a custom op has it.
    environment_sources = _only(together | alone, sources.environment_sources)
    tensorflow_library(
        name = "environment",
        grouped_srcs = environment_sources,
        deps = [
            ":core",
            "@tfcarve//tools/runtime/engine",
        ],
    )

    # The functions with which ops compute the shapes of their outputs. Flex delegates and sessions call them.
    shape_function_sources = _only(together | alone, sources.shape_function_sources)
    tensorflow_library(
        name = "shape_functions",
        grouped_srcs = shape_function_sources,
        deps = [":core"],
    )

    session_alone = _only(alone, of_session)
    session_together = (
        _only(together, of_session) +
        ["@tfcarve//tools/runtime/session:srcs"] +
        ([":protos_session_srcs"] if sources.session_protos else [])
    )

    # TensorFlow's session, for libraries of which it is known before their selection that they have one: they share its objects. Other
    # libraries with a session compile these sources themselves.
    tensorflow_library(
        name = "session",
        srcs = session_alone + ["@tfcarve//tools/runtime/session:hdrs"],
        grouped_srcs = session_together,
        deps = [
            ":core",
            ":environment",
            ":shape_functions",
            "@tfcarve//tools/runtime/engine",
            "@tfcarve//tools/runtime/models",
        ],
    )

    # These sources register what the session looks up by name.
    tensorflow_library(
        name = "session_registering",
        srcs = ["tensorflow/core/common_runtime/%s.cc" % name for name in [
            "direct_session",
            "executor",
            "isolate_placer_inspection_required_ops_pass",
            "single_threaded_executor",
            "threadpool_device_factory",
        ]],
        tags = ["manual"],
        deps = [":session"],
    )

    optional_sources = _only(together | alone, optional)

    # All other sources of TensorFlow's runtime, for apps that call TensorFlow's C++ interface.
    tensorflow_library(
        name = "optional",
        # A release that was just added has no list of optional sources yet.
        srcs = optional_sources + ([":protos_optional_srcs"] if sources.optional_protos else []),
        deps = [
            ":core",
            ":session",
        ] + _OPTIONAL_THIRD_PARTY,
    )

    # Other libraries compile the optional sources that they need.
    cc_library(
        name = "optional_sources",
        textual_hdrs = optional_sources + environment_sources + shape_function_sources + session_alone + session_together + [
            ":protos_optional_srcs",
            "@tfcarve//tools/runtime/session:hdrs",
        ] + [library + "_srcs" for library in _OPTIONAL_THIRD_PARTY],
        deps = [
            "@tfcarve//tools/runtime/engine",
            "@tfcarve//tools/runtime/models",
            "@tfcarve_re2//:re2",
        ],
    )

    # The objects from which optional_sources.json is made.
    runtime_objects(
        name = "runtime_objects",
        candidates = [
            ":core",
            ":environment",
            ":optional",
            ":session",
            ":shape_functions",
            "@tfcarve_abseil//:abseil",
            "@tfcarve_abseil//:str_format",
            "@tfcarve_double_conversion//:double_conversion",
        ] + _OPTIONAL_THIRD_PARTY,
        others = [
            ":core_registering",
            "@tfcarve//tools/runtime/api:c_api",
        ],
        session = [":session_registering"],
        tags = ["manual"],
    )

    # Objects of the core that nothing references, because they only register something. They precede all other objects in a
    # link: a linker reads archives once, in order.
    tensorflow_library(
        name = "core_registering",
        srcs = [
            source
            for source in sources.core_registering_sources
            if source not in sources.overridden_sources + referenced
        ],
        copts = [
            "-include",
            "registration_table.h",
        ],
        deps = [
            ":core",
            "@tfcarve//tools/runtime/shims:registration_table",
        ],
        alwayslink = True,
    )

def _flex(sources):
    headers = sources.interface_headers + ["@tfcarve//tools/runtime/flex:hdrs"]

    # TensorFlow Lite's sources that its Flex delegate needs.
    tensorflow_library(
        name = "flex_lite",
        copts = _FLEX_COPTS,
        grouped_srcs = sources.flex_lite_sources + select({
            "@platforms//os:android": ["tensorflow/lite/minimal_logging_android.cc"],
            "@platforms//os:ios": ["tensorflow/lite/minimal_logging_ios.cc"],
            "//conditions:default": ["tensorflow/lite/minimal_logging_default.cc"],
        }),
        textual_hdrs = headers,
        deps = [
            "@tfcarve//tools/runtime/engine",
            "@tfcarve_flatbuffers//:flatbuffers",
        ],
    )

    # The part of TensorFlow Lite's Flex delegate that calls ops.
    tensorflow_library(
        name = "flex_kernel",
        copts = _FLEX_COPTS,
        grouped_srcs = sources.flex_kernel_sources,
        hot = True,
        textual_hdrs = headers,
        deps = [
            ":flex_lite",
            ":shape_functions",
            "@tfcarve_abseil//:str_format",
            "@tfcarve_flatbuffers//:flatbuffers",
        ],
    )

    # TensorFlow Lite's Flex delegate, with tfcarve's sources in place of the eager runtime.
    tensorflow_library(
        name = "flex_delegate",
        copts = _FLEX_COPTS,
        grouped_srcs = sources.flex_delegate_sources + ["@tfcarve//tools/runtime/flex:srcs"],
        textual_hdrs = headers,
        deps = [
            ":flex_kernel",
            "@tfcarve//tools/runtime/api:c_api",
            "@tfcarve//tools/runtime/engine",
            "@tfcarve//tools/runtime/models",
            "@tfcarve//tools/runtime/plan",
            "@tfcarve//tools/runtime/threads:thread_limit",
            "@tfcarve_flatbuffers//:flatbuffers",
        ],
    )

def _units(release, sources):
    # The sources of units and their headers, which units include.
    cc_library(
        name = "unit_sources",
        textual_hdrs = sources.unit_headers + sources.unit_sources + _replaced(sources),
        deps = [
            ":precompiled_headers",
            "@tfcarve//third_party/tensorflow/releases/%s:override_kernels" % release,
            "@tfcarve//third_party/tensorflow:override_kernels",
            "@tfcarve//tools/runtime/math",
            "@tfcarve//tools/runtime/shims:registration_table",
            "@tfcarve//tools/runtime/threads",
            "@tfcarve_gemmlowp//:gemmlowp",
            "@tfcarve_re2//:re2",
        ],
    )

    # Third-party libraries that only units include: their sources, which a library compiles if it needs them.
    cc_library(
        name = "unit_libraries",
        deps = [
            "@tfcarve//tools/runtime/unicode",
            "@tfcarve_giflib//:giflib",
            "@tfcarve_highwayhash//:highwayhash",
            "@tfcarve_libjpeg_turbo//:libjpeg_turbo",
            "@tfcarve_libpng//:libpng",
        ],
    )

# The Java classes of TensorFlow Lite's Flex delegate.
def _java_classes():
    native.filegroup(
        name = "flex_java",
        srcs = native.glob(["tensorflow/lite/delegates/flex/java/src/main/java/**/*.java"]),
    )

    # The classes of TensorFlow Lite's own package that FlexDelegate uses.
    native.filegroup(
        name = "lite_java",
        srcs = ["tensorflow/lite/java/src/main/java/org/tensorflow/lite/%s.java" % name for name in [
            "Delegate",
            "annotations/UsedByReflection",
        ]],
    )

# Files that tools and tests read.
def _files(sources):
    # The sources of the kernel index.
    native.filegroup(
        name = "sources",
        srcs = native.glob(
            [
                "%s/**/%s" % (root, name)
                for root in sources.roots
                for name in ["*.cc", "*.h", "*.inc", "BUILD.upstream"]
            ] + ["third_party/eigen3/**"],
            allow_empty = True,
            exclude = ["**/*_test.cc"],
        ),
    )

    # The folders of the sources, for tests: their runfiles have a link to each, not to 24,000 files.
    native.filegroup(
        name = "source_folders",
        srcs = native.glob(
            sources.roots + ["third_party/eigen3"],
            allow_empty = True,
            exclude_directories = 0,
        ),
    )

    # TensorFlow's tests of the Flex delegate, which tests/flex runs.
    native.exports_files(["tensorflow/lite/delegates/flex/%s_test.cc" % name for name in [
        "buffer_map",
        "delegate",
        "kernel",
    ]])

    # The headers that these tests include, and TensorFlow Lite's interpreter.
    native.filegroup(
        name = "flex_test_headers",
        srcs = native.glob([
            "tensorflow/c/**/*.h",
            "tensorflow/lite/**/*.h",
        ]),
    )

    # TensorFlow's tests of kernels, which tests/kernels runs, with their data and the headers that they include.
    native.filegroup(
        name = "kernel_tests",
        srcs = native.glob(["tensorflow/core/kernels/**/*_test.cc"]),
    )

    native.exports_files(native.glob(["tensorflow/core/kernels/spectrogram_test_data/*"]))

    native.filegroup(
        name = "test_headers",
        srcs = native.glob([
            "tensorflow/cc/**/*.h",
            "tensorflow/core/**/*.h",
            sources.tsl + "/**/*.h",
            "third_party/fft2d/*.h",
        ]),
    )

    native.exports_files([
        "tensorflow/core/framework/registration/registration.h",  # tests/tools/proof compiles it
        "tensorflow/core/public/version.h",  # its path shows where the tree's root is
    ])

# The sources that a library is made of.
_THIRD_PARTY = [
    "abseil",
    "double_conversion",
    "eigen",
    "farmhash",
    "flatbuffers",
    "gemmlowp",
    "giflib",
    "highwayhash",
    "libjpeg_turbo",
    "libpng",
    "ml_dtypes",
    "nsync",
    "protobuf",
    "re2",
    "zlib",
]

def _release(name, sources):
    origin()
    kernel_index(
        name = "index",
        defines = sources.defines,
        sources = ":sources",
    )

    tensorflow_release(
        name = name,
        components = [":origin"] + ["@tfcarve_%s//:origin" % component for component in _THIRD_PARTY],
        core_headers = ":core_headers",
        core_registering = ":core_registering",
        defines = sources.defines,
        environment = ":environment",
        flex_delegate = ":flex_delegate",
        flex_java = ":flex_java",
        hot_precompiled_headers = ":hot_precompiled_headers",
        index = ":index",
        lite_java = ":lite_java",
        optional = ":optional",
        optional_sources = ":optional_sources",
        precompiled_headers = ":precompiled_headers",
        session = ":session",
        sources = ":sources",
        unit_libraries = ":unit_libraries",
        unit_sources = ":unit_sources",
        version = sources.version,
    )
