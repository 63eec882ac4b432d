"""What tf_mobile_library hands on, seen at analysis: nothing is compiled."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:defs.bzl", "CcInfo")
load("//rules:defs.bzl", "TfMobileLibraryInfo")
load(":link_facts.bzl", "link_facts")

def _only_registrations_are_forced_impl(ctx):
    env = analysistest.begin(ctx)
    linked = analysistest.target_under_test(env)[CcInfo].linking_context
    forced, plain = [], []
    for linker_input in linked.linker_inputs.to_list():
        for library in linker_input.libraries:
            names = forced if library.alwayslink else plain
            names.append(library.pic_static_library.basename.replace(".lo", ".a"))
    asserts.equals(env, ["libcore_registering.a", "libunits.a"], sorted(forced))
    for name in ["libabseil.a", "libcore.a", "libhelpers.a", "libprotobuf_lite.a"]:
        asserts.true(env, name in plain, "%s is not among the plain archives %s" % (name, plain))
    return analysistest.end(env)

only_registrations_are_forced_test = analysistest.make(_only_registrations_are_forced_impl)

def _outputs_impl(ctx):
    env = analysistest.begin(ctx)
    info = analysistest.target_under_test(env)[TfMobileLibraryInfo]
    asserts.equals(env, "libtensorflow-core.a", info.static_library.basename)
    asserts.equals(env, "libtensorflow-core.so", info.shared_library.basename)
    asserts.equals(env, "libtensorflow-registrations.a", info.registrations.basename)
    asserts.equals(env, "selection.json", info.selection.basename)
    return analysistest.end(env)

outputs_test = analysistest.make(_outputs_impl)

_NO_MESSAGES = "TFCARVE_WITHOUT_LOG_MESSAGES"
_PACKED = "-Wl,-z,pack-relative-relocs"

def _shared_library_flags(env):
    """The command line that links the shared library."""
    output = analysistest.target_under_test(env)[TfMobileLibraryInfo].unstripped_library
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == "CppLink"]
    linking = [a for a in actions if a.outputs.to_list()[0].basename == output.basename]
    asserts.equals(env, 1, len(linking))
    return " ".join(linking[0].argv)

def _shared_library_flags_impl(ctx):
    env = analysistest.begin(ctx)
    argv = _shared_library_flags(env)
    asserts.false(env, _PACKED in argv, "it was not asked for")
    for flag in ["-Wl,--gc-sections", "-Wl,-soname,libtensorflow-core.so", "-Wl,--version-script=", "-Wl,-z,defs"]:
        asserts.true(env, flag in argv, "%s is missing in %s" % (flag, argv))
    return analysistest.end(env)

shared_library_flags_test = analysistest.make(_shared_library_flags_impl)

def _canonical_config_impl(ctx):
    """An app's own -c dbg does not reach the library: the archives are the same files."""
    env = analysistest.begin(ctx)
    library = analysistest.target_under_test(env)[TfMobileLibraryInfo].static_library
    asserts.false(env, "-dbg" in library.path, library.path)
    asserts.true(env, "-opt" in library.path, library.path)
    return analysistest.end(env)

canonical_config_test = analysistest.make(
    _canonical_config_impl,
    config_settings = {"//command_line_option:compilation_mode": "dbg"},
)

def _compile_flags(env):
    compiles = [a for a in analysistest.target_actions(env) if a.mnemonic == "CppCompile" and a.argv]
    return compiles[0].argv

def _options_impl(ctx):
    """The options' flags come after those that they change."""
    env = analysistest.begin(ctx)
    argv = _compile_flags(env)
    asserts.true(env, _PACKED in _shared_library_flags(env), "packed_relocations has no effect")
    archives = [
        library.pic_static_library.basename
        for context in analysistest.target_under_test(env)[TfMobileLibraryInfo].with_java
        for linker_input in context.linker_inputs.to_list()
        for library in linker_input.libraries
    ]
    asserts.true(env, "libprotobuf_full.a" in archives, "full protos have no effect: %s" % archives)
    asserts.false(env, "libprotobuf_lite.a" in archives, "both kinds of protos: %s" % archives)
    asserts.true(env, _NO_MESSAGES in link_facts(env)["defines"], "log_messages has no effect")
    for first, last in [("-Os", "-O3"), ("-mcpu=cortex-a53", "-mcpu=cortex-a72")]:
        asserts.true(env, first in argv and last in argv, "%s or %s is missing in %s" % (first, last, argv))
        asserts.true(env, argv.index(first) < argv.index(last), "%s overrides %s" % (first, last))
    return analysistest.end(env)

_ARM64 = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_arm64"))}

options_test = analysistest.make(_options_impl, config_settings = _ARM64)

def _no_options_impl(ctx):
    env = analysistest.begin(ctx)
    argv = _compile_flags(env)
    asserts.true(env, "-Os" in argv, str(argv))
    asserts.false(env, _NO_MESSAGES in link_facts(env)["defines"], "it was not asked for")
    for flag in ["-O3", "-mcpu=cortex-a72"]:
        asserts.false(env, flag in argv, "%s is in %s" % (flag, argv))
    return analysistest.end(env)

no_options_test = analysistest.make(_no_options_impl, config_settings = _ARM64)

def _private_symbols_impl(ctx):
    """What leaves the rule, to Bazel and beside it, are the renamed archives."""
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[TfMobileLibraryInfo]
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == "TfPrivateSymbols"]
    asserts.equals(env, [info.static_library, info.registrations], actions[0].outputs.to_list())
    linked = [
        (library.pic_static_library, library.alwayslink)
        for linker_input in target[CcInfo].linking_context.linker_inputs.to_list()
        for library in linker_input.libraries
    ]
    asserts.equals(env, [(info.registrations, True), (info.static_library, False)], linked)
    return analysistest.end(env)

private_symbols_test = analysistest.make(_private_symbols_impl)
