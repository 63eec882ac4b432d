"""tf_mobile_library: TensorFlow reduced to what the app's models need, for one platform."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")
load("//rules:providers.bzl", "TensorFlowInfo", "TfMobileLibraryInfo", "TfSelectionInfo")
load("//rules/platforms:table.bzl", "PLATFORMS")
load("//rules/private/cc:copts.bzl", "tensorflow_copts")
load(
    "//rules/private/cc:objects.bzl",
    "CC_TOOLCHAINS",
    "CC_TOOLCHAIN_ATTRS",
    "archive",
    "archive_of",
    "cc_tools",
    "libraries_of",
    "link",
    "linking_context",
    "objects_of",
    "static_library",
    "strip",
)
load("//rules/private/config:canonical_config.bzl", "CANONICAL_CONFIG_ATTRS", "canonical_config", "check_options")
load("//rules/private/config:platform_name.bzl", "PLATFORM_NAME")
load("//rules/private/config:transitions.bzl", "TRANSITION_ATTRS")
load("//rules/private/outputs:declare.bzl", "declare")
load("//rules/private/proof:prove.bzl", "PROVE_ATTRS", "PROVE_LINK_FLAGS", "manifest_objects", "proof")
load("//rules/private/selection:selection.bzl", "tf_selection")
load("//rules/private/size:sizes.bzl", "SIZES_ATTRS", "declare_map", "map_flags", "sizes")
load("//rules/private/tfcarve:run_tfcarve.bzl", "TFCARVE_ATTRS")
load(":link_facts.bzl", "LINK_FACTS_ATTRS", "link_facts")
load(":lld.bzl", "LLD_ATTRS", "lld_flags")
load(":minimum_os_version.bzl", "minimum_os_version")
load(":optional_sources.bzl", "optional_sources")
load(":private_symbols.bzl", "PRIVATE_SYMBOLS_ATTRS", "private_cc_info", "static_archives")
load(":sbom.bzl", "SBOM_ATTRS", "sbom")
load(":system_linker.bzl", "collect_garbage", "shared_library_flags")
load(":units.bzl", "UNITS_ATTRS", "units")

visibility("public")

def tf_mobile_library(
        name,
        models = None,
        selection = None,
        custom_ops = [],
        config = None,
        signatures = [],
        saved_model_tags = [],
        freeze = True,
        registration_table = True,
        private_symbols = False,
        optimization = "Os",
        cpu = "",
        protos = "lite",
        log_messages = True,
        packed_relocations = False,
        flex = False,
        runtime = "auto",
        **kwargs):
    """Carves a TensorFlow library.

    Provides CcInfo to depend on, libtensorflow-core.a, libtensorflow-core.so and, for apps that are linked
    without Bazel, headers and the flags for their build systems.

    The output group `programs` has two programs that are linked with the library: run_model runs a model and
    benchmark_model measures it. `bazel build //:<name> --output_groups=programs` writes them to `bazel-bin/<name>`. The
    output group `proof` has the result of `tfcarve prove`, proof.json.

    Args:
      name: of the target; without `selection`, the target `<name>_selection` is created too.
      models: models that the library must run, or targets that create them: frozen GraphDef .pb, or .pbtxt or .pb.txt;
        SavedModel directory; Keras file; .tflite with Flex ops; ops list .json or .yaml.
      selection: a tf_selection, instead of models.
      custom_ops: C++ sources (and their headers) of ops and kernels that are not TensorFlow's.
      config: YAML file with ops that no model shows.
      signatures: for SavedModels, the signatures that the library must run. Empty: serving_default, or the whole
        graph if it is not frozen.
      saved_model_tags: for SavedModels, the graphs with all of these tags. Empty: "serve", or all graphs if they are not
        frozen.
      freeze: whether SavedModels are frozen, with tf_frozen_model's default options. Freezing needs full TensorFlow. If
        not, they are read without changes, with all ops that save and restore variables: for a library that trains.
      registration_table: whether the shared library has the table of its registrations. Without it, builds do not
        prove that the library has what was selected.
      private_symbols: whether all symbols of the static archives except the C interface are renamed, for an app that
        has its own protobuf, Abseil or TensorFlow, or that links a tf_mobile_library and a tf_flex_delegate.
      optimization: "Os", "O2", "O3", or "Oz" for the smallest library with clang. With "Os", the sources in which models
        spend their time (hot_sources.yaml of the release) are compiled with "O2".
      cpu: the CPU that the library is compiled for, on platforms that have it: "cortex-a72" for a Raspberry Pi 4,
        "x86-64-v2", "x86-64-v3" (AVX2, FMA) or "x86-64-v4" (AVX-512). The library does not run on CPUs without
        these instructions. Default: one that runs on all CPUs of the platform.
      protos: "lite", or "full" for an app that uses TensorFlow's C++ interface and needs messages with
        descriptors, reflection and text format, or parts of TensorFlow's runtime that its models do not use: half a
        megabyte more.
      log_messages: whether TensorFlow's LOG and CHECK have messages. Without them it logs nothing, and a failed
        CHECK ends the program without a message. Errors that calls return always have their text.
      packed_relocations: whether the shared library for Linux has packed relative relocations: about 5 % smaller,
        and loaded only by glibc 2.36 and later (Debian and Raspberry Pi OS 12).
      flex: whether it is the delegate of a tf_flex_delegate.
      runtime: what runs graphs. "plan": kernels are called in an order that is planned when a model is loaded; "session":
        TensorFlow's session, for an app that calls TensorFlow's C++ interface, or for models that a plan cannot run;
        "auto": a plan if it can run the models, but a session with `protos = "full"`. selection.json says which one it is
        and why.
      **kwargs: common attributes.
    """
    if (models == None) == (selection == None):
        fail("tf_mobile_library %s: pass either models or a selection" % name)
    if selection != None and (custom_ops or config or signatures or saved_model_tags or not freeze or runtime != "auto"):
        fail("tf_mobile_library %s: custom_ops, config, signatures, saved_model_tags, freeze and runtime are attributes of the tf_selection %s" % (name, selection))
    if protos == "full" and runtime == "plan":
        fail("tf_mobile_library %s: protos = \"full\" is for TensorFlow's session, but runtime is \"plan\"" % name)
    check_options(name, optimization, cpu, protos)
    if selection == None:
        selection = name + "_selection"
        tf_selection(
            name = selection,
            models = models,
            custom_ops = custom_ops,
            config = config,
            signatures = signatures,
            saved_model_tags = saved_model_tags,
            freeze = freeze,
            flex = flex,
            runtime = "session" if protos == "full" else runtime,
            **kwargs
        )
    _mobile_library(
        name = name,
        selection = selection,
        platform = PLATFORM_NAME,
        flex = flex,
        cpu = cpu,
        optimization = optimization,
        log_messages = log_messages,
        packed_relocations = packed_relocations,
        protos = protos,
        private_symbols = private_symbols,
        registration_table = registration_table,
        **kwargs
    )

def tf_flex_delegate(name, models, custom_ops = [], **kwargs):
    """Carves TensorFlow Lite's delegate for TensorFlow ops ("select TF ops"): libtensorflowlite_flex.so.

    Args:
      name: of the target; the target `<name>_selection` is created too.
      models: the .tflite models with TensorFlow ops that apps run with it.
      custom_ops: C++ sources (and their headers) of ops and kernels that are not TensorFlow's.
      **kwargs: options of tf_mobile_library, and common attributes.
    """
    tf_mobile_library(name = name, models = models, custom_ops = custom_ops, flex = True, **kwargs)

def _mobile_library_impl(ctx):
    cc = cc_tools(ctx)
    selected = ctx.attr.selection[TfSelectionInfo]
    compiled = units(ctx, cc, selected = selected)
    units_archive = declare(ctx, "parts/libunits.a")
    helpers_archive = declare(ctx, "parts/libhelpers.a")
    optional_archive = declare(ctx, "parts/liboptional.a")
    unit_objects = compiled.unit_objects + manifest_objects(ctx, cc, selection = selected.selection)
    interface = _interface(ctx)
    session = getattr(selected, "session", False)
    runtime = _runtime(ctx, interface, session = session, custom_ops = bool(selected.custom_ops))
    libraries = [library for cc_info in runtime for library in libraries_of(cc_info)]

    # With full protos, the runtime has all of them.
    optional = struct(sources = [], objects = []) if ctx.attr.protos == "full" else optional_sources(
        ctx,
        cc,
        selection = selected.selection,
        objects = unit_objects + compiled.helper_objects + objects_of(libraries),
        shared = (["session"] if session else []) +
                 (["environment"] if selected.custom_ops else []) +
                 (["shape-functions", "str-format"] if ctx.attr.flex else []),
        compiled = compiled,
    )
    archive(cc, output = units_archive, objects = unit_objects)
    placeholder = objects_of(libraries_of(ctx.attr._placeholder[CcInfo]))
    archive(cc, output = helpers_archive, objects = compiled.helper_objects, placeholder = placeholder)
    archive(cc, output = optional_archive, objects = optional.objects, placeholder = placeholder)

    own = CcInfo(linking_context = linking_context(cc, [
        static_library(cc, archive_file = units_archive, alwayslink = True),
        static_library(cc, archive_file = helpers_archive, alwayslink = False),
        static_library(cc, archive_file = optional_archive, alwayslink = False),
    ]))
    cc_info = cc_common.merge_cc_infos(
        direct_cc_infos = [own] + runtime,
    )

    info, size_files = _artifacts(ctx, cc, struct(
        interface = interface,
        linked = cc_info.linking_context,
        libraries = libraries,
        unit_objects = unit_objects,
        other_objects = compiled.helper_objects + optional.objects,
        units_archive = units_archive,
        compiled = compiled,
        selection = selected.selection,
    ))
    shared = [info.shared_library] if info.shared_library else []
    proofs = [info.proof] if info.proof else []
    return [
        private_cc_info(cc, info, cc_info.linking_context) if ctx.attr.private_symbols else cc_info,
        info,
        DefaultInfo(files = depset([
            info.static_library,
            info.registrations,
            info.selection,
        ] + shared + info.link_fragments + info.include_trees)),
        OutputGroupInfo(
            optional_sources = depset(optional.sources),
            parts = depset([units_archive, helpers_archive]),
            programs = depset([program for program in [info.runner, info.benchmark] if program]),
            proof = depset(proofs),
            sbom = depset([info.sbom, info.license_texts] if shared else []),
            selection = depset([selected.selection, selected.header, selected.op_files]),
            sizes = depset(size_files),
            units = depset(compiled.sources),
            unstripped = depset([info.unstripped_library] if shared else []),
            _validation = depset(proofs),
        ),
    ]

def _interface(ctx):
    """The interface that apps call: the C interface of sessions, or the C interface of a Flex delegate.

    Returns:
      struct: cc_info, its code; exports, a File with the exported symbols; name of the shared library; java_natives, the
      CcInfo of its native methods for Java; kept, linker flags for functions that are kept but not exported.
    """
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    if ctx.attr.flex:
        return struct(
            cc_info = tensorflow.flex_delegate,
            exports = ctx.file._flex_exports,
            java_natives = ctx.attr._flex_java_natives[CcInfo],
            name = "tensorflowlite_flex",
            # They keep the manifest and the table of registrations. An app may also have a library that exports functions of
            # these names.
            kept = ["-Wl,--undefined=tfcarve_manifest", "-Wl,--undefined=tfcarve_registrations"],
        )
    return struct(
        cc_info = ctx.attr._c_api[CcInfo],
        exports = ctx.file._exports,
        java_natives = ctx.attr._java_natives[CcInfo],
        name = "tensorflow-core",
        kept = [],
    )

def _runtime(ctx, interface, *, session, custom_ops):
    """The libraries that a library links in addition to its own objects, in link order: list of CcInfo.

    With full protos, they include all optional sources, which the app may call; TensorFlow's session and environment are part of
    them. `session`: whether the library is known to have TensorFlow's session. `custom_ops`: whether it has custom ops, which may
    ask their device for the environment.
    """
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    if ctx.attr.protos == "full":
        optional = [tensorflow.optional]
    else:
        optional = ([tensorflow.session] if session else []) + ([tensorflow.environment] if custom_ops else [])
    return optional + [
        interface.cc_info,
        tensorflow.core_registering,
        tensorflow.unit_sources,
        ctx.attr._math[CcInfo],
        ctx.attr._threads[CcInfo],
    ]

def _artifacts(ctx, cc, library):
    """Declares all artifacts of a library; each is built only if it is requested.

    Args:
      ctx: of the rule.
      cc: from cc_tools.
      library: struct: interface, from _interface; linked, the CcLinkingContext of all that the library links; libraries,
        the LibraryToLink of its runtime, a list; unit_objects, Files that are forced into a link; other_objects, Files
        that the rule compiled in addition; units_archive, the File with unit_objects; compiled, from units; selection,
        the File selection.json.

    Returns:
      TfMobileLibraryInfo, and the list of Files of the output group sizes.
    """
    tensorflow = ctx.attr._tensorflow[TensorFlowInfo]
    interface = library.interface
    registering = [linked for linked in library.libraries if linked.alwayslink]
    pulled_in = [linked for linked in library.libraries if not linked.alwayslink]
    archives = static_archives(
        ctx,
        cc,
        registering = _distinct(library.unit_objects + objects_of(registering)),
        pulled_in = _distinct(library.other_objects + objects_of(pulled_in)),
    )

    contexts = [_forced(cc, interface.cc_info), library.linked]
    system = PLATFORMS[ctx.attr.platform].os if ctx.attr.platform else ""
    lowest_version = minimum_os_version(cc, ctx.attr.platform)
    flags = lld_flags(ctx) + shared_library_flags(
        system,
        soname = "lib%s.so" % interface.name,
        exports = interface.exports,
        minimum_os_version = lowest_version,
    ) + PROVE_LINK_FLAGS + interface.kept
    link_inputs = [interface.exports] + ctx.files._lld
    map_file = declare_map(ctx)
    unstripped = link(
        cc,
        name = "%s/unstripped/%s" % (ctx.label.name, interface.name),
        output_type = "dynamic_library",
        contexts = contexts,
        flags = flags + map_flags(map_file),
        inputs = link_inputs,
        outputs = [map_file],
    )
    shared = declare(ctx, "lib%s.so" % interface.name)
    strip(cc, output = shared, library = unstripped)
    measured = sizes(
        ctx,
        cc,
        selection = library.selection,
        shared = shared,
        map_file = map_file,
        units = library.units_archive,
        interface = _own(interface.cc_info).owner,
        contexts = contexts,
        flags = flags,
        inputs = link_inputs,
        compiled = library.compiled,
    )
    facts = link_facts(
        ctx,
        selection = library.selection,
        linked = library.linked,
        minimum_os_version = lowest_version,
        headers = tensorflow.core_headers.compilation_context,
        copts = tensorflow_copts(defines = tensorflow.defines, root = tensorflow.root),
    )
    listed = sbom(ctx, shared = shared, report = measured.report)
    return TfMobileLibraryInfo(
        selection = library.selection,
        flex = ctx.attr.flex,
        static_library = archives.static,
        registrations = archives.registrations,
        # Apps for iOS link the archive.
        shared_library = None if system == "ios" else shared,
        unstripped_library = None if system == "ios" else unstripped,
        minimum_os_version = lowest_version,
        linked = contexts,
        java_natives = interface.java_natives.linking_context,
        link_fragments = facts.fragments,
        include_trees = facts.include_trees,
        size_report = measured.report,
        # Apps for iOS link the archive, of whose objects the report does not tell.
        sbom = None if system == "ios" else listed.document,
        license_texts = None if system == "ios" else listed.licenses,
        proof = proof(
            ctx,
            library = library.units_archive if system == "ios" else shared,
            selection = library.selection,
            units = library.units_archive,
            cpu = PLATFORMS[ctx.attr.platform].cpu if ctx.attr.platform else "",
        ),
        runner = None if ctx.attr.flex else _program(ctx, cc, "run_model", ctx.attr._run_model, library.linked, system),
        benchmark = None if ctx.attr.flex else _program(ctx, cc, "benchmark_model", ctx.attr._benchmark_model, library.linked, system),
    ), [measured.link, measured.map, measured.page, measured.report] + measured.archives

def _program(ctx, cc, name, main, linked, system):
    """Links a program that uses the C interface with the library."""
    return link(
        cc,
        name = "%s/%s" % (ctx.label.name, name),
        output_type = "executable",
        contexts = [main[CcInfo].linking_context, linked],
        flags = collect_garbage(system),
    )

def _own(cc_info):
    """The LinkerInput of the target that provides a CcInfo."""
    return cc_info.linking_context.linker_inputs.to_list()[0]

def _forced(cc, cc_info):
    """A CcLinkingContext of the direct libraries of a CcInfo, with all objects forced into the link."""
    own = _own(cc_info)
    return linking_context(
        cc,
        [
            static_library(cc, archive_file = archive_of(library), alwayslink = True)
            for library in own.libraries
        ],
        owner = own.owner,
    )

def _distinct(files):
    """Removes duplicates: two dependencies may share a library."""
    return {file: None for file in files}.keys()

_mobile_library = rule(
    implementation = _mobile_library_impl,
    cfg = canonical_config,
    fragments = ["cpp"],
    provides = [CcInfo, TfMobileLibraryInfo],
    toolchains = CC_TOOLCHAINS,
    attrs = TRANSITION_ATTRS |
            CC_TOOLCHAIN_ATTRS |
            PROVE_ATTRS |
            CANONICAL_CONFIG_ATTRS |
            LLD_ATTRS |
            LINK_FACTS_ATTRS |
            PRIVATE_SYMBOLS_ATTRS |
            SBOM_ATTRS |
            SIZES_ATTRS |
            TFCARVE_ATTRS |
            UNITS_ATTRS | {
        "flex": attr.bool(doc = "Whether it is a Flex delegate."),
        "selection": attr.label(mandatory = True, providers = [TfSelectionInfo]),
        "_math": attr.label(default = "//tools/runtime/math"),
        "_placeholder": attr.label(default = "//rules/private/cc:placeholder"),
        "_threads": attr.label(default = "//tools/runtime/threads"),
        "_benchmark_model": attr.label(default = "//tools/runtime/programs:benchmark_model_main"),
        "_c_api": attr.label(default = "//tools/runtime/api:c_api"),
        "_exports": attr.label(default = "//tools/runtime/api:exports.lds", allow_single_file = True),
        "_flex_exports": attr.label(default = "//tools/runtime/flex:exports.lds", allow_single_file = True),
        "_flex_java_natives": attr.label(default = "//tools/runtime/flex:java_natives"),
        "_java_natives": attr.label(default = "//tools/runtime/java:natives"),
        "_run_model": attr.label(default = "//tools/runtime/programs:run_model_main"),
    },
)
