"""Providers of tfcarve's rules, for these rules and for rules of an app that depend on them."""

visibility("public")

TensorFlowInfo = provider(
    doc = "A TensorFlow release, configured for a platform.",
    fields = {
        "version": "string: \"2.14.1\".",
        "defines": "list[string]: the macros that decide which kernels are registered.",
        "root": "string: the root of the source tree, as actions see it.",
        "index": "File: index.json, the kernel index for the platform.",
        "sources": "depset[File]: what the index is made from.",
        "core_headers": "CcInfo: the headers of the core.",
        "core_registering": "CcInfo: the core, with all objects forced into the link that only a static registration makes part of it.",
        "unit_sources": "CcInfo: the sources of kernels and op definitions, which units include.",
        "precompiled_headers": "struct(flags, cc_info): PrecompiledHeaderInfo and CcInfo of the headers for most sources.",
        "hot_precompiled_headers": "struct(flags, cc_info): the same for sources that are compiled for speed.",
        "java_natives": "CcInfo: the native methods of TensorFlow's Java classes.",
        "java_sources": "depset[File]: TensorFlow's Java classes.",
        "inference_interface": "list[File]: the Java sources of TensorFlowInferenceInterface.",
    },
)

TfSelectionInfo = provider(
    doc = "What some models need of TensorFlow.",
    fields = {
        "selection": "File: selection.json, the ops, kernel classes and sources with who needs them.",
        "header": "File: the classic ops_to_register.h, for a TensorFlow that is built elsewhere.",
        "op_files": "File: tf_op_files.txt, the sources to compile, one a line.",
        "custom_ops": "depset[File]: sources and headers of ops that are not TensorFlow's.",
    },
)

TfMobileLibraryInfo = provider(
    doc = "A carved library for one platform.",
    fields = {
        "selection": "File: the selection.json that it was carved to.",
        "static_library": "File: libtensorflow-core.a, complete.",
        "registrations": "File: libtensorflow-registrations.a, the part of it that a linker must be forced to take.",
        "shared_library": "File: libtensorflow-core.so, stripped; it exports the C interface only.",
        "unstripped_library": "File: the same with its symbols.",
        "minimum_os_version": "string: the oldest system it runs on, an API level of Android (\"24\") or a version of " +
                              "iOS (\"13.0\"); empty for Linux, and where the toolchain does not tell.",
        "with_java": "list[CcLinkingContext]: what a shared library links that also has the functions of TensorFlow's Java " +
                     "classes: these, compiled as the library is, and the library with its symbols as compiled.",
        "link_fragments": "list[File]: how to link it, for the build systems of its platform; link_flags.txt for all others.",
        "include_trees": "list[File]: folders of headers: include with the C interface, include_cpp with TensorFlow's C++ one.",
        "size_report": "File: what the shared library's bytes are for, as `tfcarve size` tells it in JSON.",
        "proof": "File: proof.json, what `tfcarve prove` found; made only where the library holds what was selected. None " +
                 "where it has no table of registrations.",
        "runner": "File: a program that runs a model in this library.",
        "benchmark": "File: a program that measures a model in this library.",
    },
)
