"""Providers of tfcarve's rules, for these rules and for rules of an app that depend on them."""

visibility("public")

TensorFlowInfo = provider(
    doc = "A TensorFlow release, configured for a platform.",
    fields = {
        "version": "string: its version, with the patch number.",
        "defines": "list[string]: the macros that decide which kernels are registered.",
        "components": "dict[string, depset[File]]: the license of each source that libraries are made of, and where it comes from, by its name.",
        "root": "string: the root of the source tree, as actions see it.",
        "index": "File: index.json, the kernel index for the platform.",
        "target": "string: name of the platform that the index is for; empty for the build machine.",
        "target_macros": "File: the predefined macros of the platform's compiler; None for the build machine.",
        "sources": "depset[File]: the sources of the index.",
        "core_headers": "CcInfo: the headers of the core.",
        "core_registering": "CcInfo: the core, with all objects forced into the link that only a static registration makes part of it.",
        "environment": "CcInfo: TensorFlow's environment, for libraries that are known to have it before their selection.",
        "flex_delegate": "CcInfo: TensorFlow Lite's Flex delegate.",
        "optional": "CcInfo: all optional sources, compiled.",
        "optional_sources": "CcInfo: the optional sources and their headers, for libraries that need some of them.",
        "session": "CcInfo: TensorFlow's session.",
        "unit_libraries": "CcInfo: the sources and headers of third-party libraries that only units include.",
        "unit_sources": "CcInfo: the sources of kernels and op definitions, which units include.",
        "precompiled_headers": "struct(flags, cc_info): PrecompiledHeaderInfo and CcInfo of the headers for most sources.",
        "hot_precompiled_headers": "struct(flags, cc_info): PrecompiledHeaderInfo and CcInfo of the headers for sources that are compiled for speed.",
        "flex_java": "list[File]: the Java sources of TensorFlow Lite's FlexDelegate.",
        "lite_java": "list[File]: the Java sources of TensorFlow Lite that FlexDelegate uses; its own package has them.",
    },
)

TfSelectionInfo = provider(
    doc = "What models need from TensorFlow.",
    fields = {
        "selection": "File: selection.json, the ops, kernel classes and sources, each with the nodes that need it.",
        "header": "File: the classic ops_to_register.h, for a TensorFlow that is built without tfcarve.",
        "op_files": "File: tf_op_files.txt, the sources to compile, one on each line.",
        "custom_ops": "depset[File]: sources and headers of custom ops.",
        "session": "bool: whether the library is known to have TensorFlow's session before the selection is made.",
    },
)

TfMobileLibraryInfo = provider(
    doc = "A carved library for one platform.",
    fields = {
        "selection": "File: its selection.json.",
        "flex": "bool: whether it is a Flex delegate, which exports another interface.",
        "static_library": "File: libtensorflow-core.a, complete.",
        "registrations": "File: libtensorflow-registrations.a, the part of it that the linker must be forced to link.",
        "shared_library": "File: libtensorflow-core.so, stripped; it exports only the C interface.",
        "unstripped_library": "File: libtensorflow-core.so with its symbols.",
        "minimum_os_version": "string: the minimum OS version, an API level of Android (\"24\") or a version of " +
                              "iOS (\"13.0\"); empty for Linux, and if the toolchain does not say.",
        "linked": "list[CcLinkingContext]: for another shared library with its objects: its interface, with all objects forced into " +
                  "the link, and the library before its symbols are renamed.",
        "java_natives": "CcLinkingContext: the native methods of tfcarve's or TensorFlow Lite's Java classes, compiled as the library.",
        "link_fragments": "list[File]: link fragments for the build systems of its platform; only link_flags.txt for others and for a Flex delegate.",
        "include_trees": "list[File]: folders of headers: include has the C interface, include_cpp TensorFlow's C++ interface; none for a Flex delegate.",
        "size_report": "File: the JSON report of `tfcarve size` on the shared library.",
        "sbom": "File: sbom.spdx.json, the sources that the library contains; None for iOS.",
        "license_texts": "File: the folder with the licenses of these sources; None for iOS.",
        "proof": "File: proof.json, the result of `tfcarve prove`; it exists only if the library has what was selected. None " +
                 "without the table of registrations.",
        "runner": "File: a program that runs a model in this library.",
        "benchmark": "File: a program that measures a model in this library.",
    },
)
