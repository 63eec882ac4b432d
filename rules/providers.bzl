"""What tfcarve's rules tell each other, and any rule of yours that depends on them."""

visibility("public")

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
