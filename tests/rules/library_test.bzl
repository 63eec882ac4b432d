"""Analysis tests of tf_mobile_library: its providers and command lines."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("@rules_cc//cc:defs.bzl", "CcInfo")
load("//rules:defs.bzl", "TfMobileLibraryInfo")
load(":compile_commands.bzl", "compile_commands")
load(":link_facts.bzl", "link_facts")
load(":minimum_os_version_test.bzl", "toolchain_settings")

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

def _programs(env):
    return [f.basename for f in analysistest.target_under_test(env)[OutputGroupInfo].programs.to_list()]

def _outputs_impl(ctx):
    env = analysistest.begin(ctx)
    info = analysistest.target_under_test(env)[TfMobileLibraryInfo]
    asserts.equals(env, "libtensorflow-core.a", info.static_library.basename)
    asserts.equals(env, "libtensorflow-core.so", info.shared_library.basename)
    asserts.equals(env, "libtensorflow-registrations.a", info.registrations.basename)
    asserts.equals(env, "selection.json", info.selection.basename)
    asserts.equals(env, ["run_model", "benchmark_model"], _programs(env))
    return analysistest.end(env)

outputs_test = analysistest.make(_outputs_impl)

_NO_MESSAGES = "TFCARVE_WITHOUT_LOG_MESSAGES"
_PACKED = "-Wl,-z,pack-relative-relocs"

def _shared_library_flags(env):
    """Returns the command line that links the shared library."""
    output = analysistest.target_under_test(env)[TfMobileLibraryInfo].unstripped_library
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == "CppLink"]
    linking = [a for a in actions if a.outputs.to_list()[0].basename == output.basename]
    asserts.equals(env, 1, len(linking))
    return " ".join(linking[0].argv)

def _shared_library_flags_impl(ctx):
    env = analysistest.begin(ctx)
    argv = _shared_library_flags(env)
    asserts.false(env, _PACKED in argv, "packed_relocations is not set")
    for flag in ["-Wl,--gc-sections", "-Wl,-soname,libtensorflow-core.so", "-Wl,--version-script=", "-Wl,-z,defs"]:
        asserts.true(env, flag in argv, "%s is missing in %s" % (flag, argv))
    return analysistest.end(env)

shared_library_flags_test = analysistest.make(_shared_library_flags_impl)

def _canonical_config_impl(ctx):
    """The app's -c dbg does not apply to the library, so the archives are the same files."""
    env = analysistest.begin(ctx)
    library = analysistest.target_under_test(env)[TfMobileLibraryInfo].static_library
    asserts.false(env, "-dbg" in library.path, library.path)
    asserts.true(env, "-opt" in library.path, library.path)
    return analysistest.end(env)

canonical_config_test = analysistest.make(
    _canonical_config_impl,
    config_settings = {"//command_line_option:compilation_mode": "dbg"},
)

def _require_last(env, commands, prefix, expected):
    """Checks the last flag with a prefix on the command line of each kind of source."""
    asserts.equals(env, expected, {
        kind: ([flag for flag in argv if flag.startswith(prefix)] or [""])[-1]
        for kind, argv in commands.items()
    })

def _all_kinds(flag):
    return {kind: flag for kind in ["hot units", "manifest", "units"]}

def _options_impl(ctx):
    """The flags of the options come after the flags that they override."""
    env = analysistest.begin(ctx)
    asserts.true(env, _PACKED in _shared_library_flags(env), "packed_relocations has no effect")
    archives = [
        library.pic_static_library.basename
        for context in analysistest.target_under_test(env)[TfMobileLibraryInfo].linked
        for linker_input in context.linker_inputs.to_list()
        for library in linker_input.libraries
    ]
    asserts.true(env, "libprotobuf_full.a" in archives, "full protos have no effect: %s" % archives)
    asserts.false(env, "libprotobuf_lite.a" in archives, "both kinds of protos: %s" % archives)
    asserts.true(env, _NO_MESSAGES in link_facts(env)["defines"], "log_messages has no effect")
    commands = compile_commands(env)
    _require_last(env, commands, "-O", _all_kinds("-O3"))
    _require_last(env, commands, "-mcpu=", _all_kinds("-mcpu=cortex-a72"))
    return analysistest.end(env)

_ARM64 = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_arm64"))}

options_test = analysistest.make(_options_impl, config_settings = _ARM64)

def _no_options_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.false(env, _NO_MESSAGES in link_facts(env)["defines"], "log_messages is not False")
    commands = compile_commands(env)
    _require_last(env, commands, "-O", _all_kinds("-Os") | {"hot units": "-O2"})
    _require_last(env, commands, "-mcpu=", _all_kinds("-mcpu=cortex-a53"))
    return analysistest.end(env)

no_options_test = analysistest.make(_no_options_impl, config_settings = _ARM64)

def _smallest_impl(ctx):
    env = analysistest.begin(ctx)
    _require_last(env, compile_commands(env), "-O", _all_kinds("-Oz"))
    return analysistest.end(env)

smallest_test = analysistest.make(_smallest_impl, config_settings = _ARM64)

_X86_64 = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_x86_64"))}

def _level(expected):
    def impl(ctx):
        env = analysistest.begin(ctx)
        _require_last(env, compile_commands(env), "-march=", _all_kinds(expected))
        return analysistest.end(env)

    return impl

first_level_test = analysistest.make(_level(""), config_settings = _X86_64)

third_level_test = analysistest.make(_level("-march=x86-64-v3"), config_settings = _X86_64)

# The Android ABI includes the second level.
android_level_test = analysistest.make(_level("-march=x86-64-v3"), config_settings = toolchain_settings("android_30"))

def _fourth_level_impl(ctx):
    env = analysistest.begin(ctx)
    commands = compile_commands(env)
    _require_last(env, commands, "-march=", _all_kinds("-march=x86-64-v4"))
    _require_last(env, commands, "-DEIGEN_USE_AVX512", _all_kinds("-DEIGEN_USE_AVX512_GEMM_KERNELS=0"))
    return analysistest.end(env)

fourth_level_test = analysistest.make(_fourth_level_impl, config_settings = _X86_64)

def _android_cpu_impl(ctx):
    """The rule adds the platform's flags, which the app's toolchain does not have."""
    env = analysistest.begin(ctx)
    commands = compile_commands(env)
    _require_last(env, commands, "-mfpu=", _all_kinds("-mfpu=neon"))
    _require_last(env, commands, "-mthumb", _all_kinds("-mthumb"))
    return analysistest.end(env)

android_cpu_test = analysistest.make(_android_cpu_impl, config_settings = toolchain_settings("android_26"))

def _ios(optimization):
    """An implementation for iOS, which has no CPU levels: the toolchain's target is the CPU."""

    def impl(ctx):
        env = analysistest.begin(ctx)
        commands = compile_commands(env)
        _require_last(env, commands, "-O", optimization)
        _require_last(env, commands, "arm64-apple-", _all_kinds("arm64-apple-ios15.0"))
        _require_last(env, commands, "-mcpu=", _all_kinds(""))
        return analysistest.end(env)

    return impl

ios_test = analysistest.make(
    _ios(_all_kinds("-Os") | {"hot units": "-O2"}),
    config_settings = toolchain_settings("ios_sdk"),
)

ios_smallest_test = analysistest.make(_ios(_all_kinds("-Oz")), config_settings = toolchain_settings("ios_sdk"))

def _private_symbols_impl(ctx):
    """The outputs and CcInfo have the archives with renamed symbols."""
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[TfMobileLibraryInfo]
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == "TfPrivateSymbols"]
    asserts.equals(env, [info.static_library, info.registrations], actions[0].outputs.to_list())
    asserts.false(env, "--flex" in actions[0].argv, "the new names are those of a tf_flex_delegate")
    linked = [
        (library.pic_static_library, library.alwayslink)
        for linker_input in target[CcInfo].linking_context.linker_inputs.to_list()
        for library in linker_input.libraries
    ]
    asserts.equals(env, [(info.registrations, True), (info.static_library, False)], linked)
    return analysistest.end(env)

private_symbols_test = analysistest.make(_private_symbols_impl)

def _flex_options_impl(ctx):
    """A delegate has the options of a library, and fragments and symbols of its own."""
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    info = target[TfMobileLibraryInfo]
    _require_last(env, compile_commands(env), "-O", _all_kinds("-O3"))
    asserts.equals(env, ["link_flags.txt"], [file.basename for file in info.link_fragments])
    asserts.equals(env, [], info.include_trees)
    asserts.equals(env, [], _programs(env))
    asserts.equals(env, "", link_facts(env)["shared_library"])
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == "TfPrivateSymbols"]
    asserts.true(env, "--flex" in actions[0].argv, "the new names are those of a tf_mobile_library")
    return analysistest.end(env)

flex_options_test = analysistest.make(_flex_options_impl, config_settings = _ARM64)
