"""Analysis tests of the kernel index of a library: the macros that it is made with, and which libraries share it."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load(":minimum_os_version_test.bzl", "toolchain_settings")

_IndexInfo = provider(
    doc = "The kernel index that a target uses.",
    fields = {
        "macros": "list[string]: the arguments of the compiler that lists its predefined macros.",
        "path": "string: path of the index.",
        "units": "list[string]: the arguments of the compiler for a unit; empty if the target is not a library.",
    },
)

# From a library to its index.
_PATH = ["_tensorflow", "index"]

def _index_impl(target, ctx):
    macros = [a.argv for a in target.actions if a.mnemonic == "TfTargetMacros"]
    if macros:
        (index,) = target[DefaultInfo].files.to_list()
        return [_IndexInfo(macros = macros[0], path = index.path, units = [])]
    used = [getattr(ctx.rule.attr, name) for name in _PATH if hasattr(ctx.rule.attr, name)]
    links = [a.content for a in target.actions if a.outputs.to_list()[0].basename == "link.json"]
    return [
        _IndexInfo(
            macros = dep[_IndexInfo].macros,
            path = dep[_IndexInfo].path,
            units = json.decode(links[0])["compile"]["argv"] if links else [],
        )
        for dep in used
    ]

_index = aspect(implementation = _index_impl, attr_aspects = _PATH)

_IndexesInfo = provider(
    doc = "The kernel indexes of targets.",
    fields = {"by_name": "dict[string, _IndexInfo]: by the name of the target."},
)

indexes = rule(
    implementation = lambda ctx: [_IndexesInfo(by_name = {
        target.label.name: target[_IndexInfo]
        for target in ctx.attr.targets
    })],
    doc = "The kernel indexes of libraries, or of targets that have one.",
    attrs = {"targets": attr.label_list(aspects = [_index])},
)

def _target_flags(argv):
    """The flags that predefined macros depend on, each once, except for optimization and definitions."""
    flags = [flag for flag in argv if flag.startswith(("-f", "-m", "-std=", "--target="))]
    return {flag: None for flag in flags if not flag.startswith("-frandom-seed=")}.keys()

def _definitions(argv):
    return [flag for flag in argv if flag.startswith("-D")]

def _last(argv, prefix):
    return ([flag for flag in argv if flag.startswith(prefix)] or [""])[-1]

def _macros(prefix, expected):
    """Checks that macros are listed with the flags of units; `expected` is the last flag with a prefix, by library."""

    def impl(ctx):
        env = analysistest.begin(ctx)
        by_name = analysistest.target_under_test(env)[_IndexesInfo].by_name
        for name, flag in expected.items():
            index = by_name[name]
            asserts.equals(env, _target_flags(index.units), _target_flags(index.macros))
            asserts.equals(env, flag, _last(index.macros, prefix))
            for required in ["-std=c++17", "-fno-exceptions", "-fno-rtti"]:
                asserts.true(env, required in index.macros, "%s is missing in %s" % (required, index.macros))
            unknown = [d for d in _definitions(index.macros) if d not in index.units]
            asserts.equals(env, [], unknown)
            asserts.true(env, "-DIS_MOBILE_PLATFORM" in index.macros, "the release's macros are missing")

            # Units that are compiled for speed have another optimization: the index is the same for all.
            asserts.equals(env, "-Os", _last(index.macros, "-O"))
        return analysistest.end(env)

    return impl

def _shared(expected):
    """Checks which targets have the index of the library without options."""

    def impl(ctx):
        env = analysistest.begin(ctx)
        by_name = analysistest.target_under_test(env)[_IndexesInfo].by_name
        asserts.equals(env, expected, {
            name: by_name[name].path == by_name["library"].path
            for name in expected
        })
        return analysistest.end(env)

    return impl

_ARM64 = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_arm64"))}
_X86_64 = {"//command_line_option:platforms": str(Label("//rules/platforms:linux_x86_64"))}

arm64_macros_test = analysistest.make(
    _macros("-mcpu=", {"for_x86-64-v3": "-mcpu=cortex-a53", "library": "-mcpu=cortex-a53", "with_options": "-mcpu=cortex-a72"}),
    config_settings = _ARM64,
)

x86_64_macros_test = analysistest.make(
    _macros("-march=", {"for_x86-64-v3": "-march=x86-64-v3", "library": "", "with_options": ""}),
    config_settings = _X86_64,
)

# The app's toolchain does not have the platform's flags.
android_macros_test = analysistest.make(
    _macros("-mfpu=", {"library": "-mfpu=neon"}),
    config_settings = toolchain_settings("android_26"),
)

arm64_index_test = analysistest.make(
    _shared({"for_x86-64-v3": True, "index": True, "smallest": True, "with_options": False}),
    config_settings = _ARM64,
)

x86_64_index_test = analysistest.make(
    _shared({"for_x86-64-v3": False, "index": True, "smallest": True, "with_options": True}),
    config_settings = _X86_64,
)

android_index_test = analysistest.make(
    _shared({"index": True, "smallest": True}),
    config_settings = toolchain_settings("android_26"),
)
