"""The actions that write the size report of a library. Only analysis: nothing is compiled."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//rules:defs.bzl", "TfMobileLibraryInfo")

def _outputs_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    report = target[OutputGroupInfo].sizes.to_list()
    files = sorted([f.basename for f in report if f.extension not in ["a", "lo"]])
    asserts.true(env, "libcore.a" in [f.basename for f in report], "link.json's commands read it")
    asserts.equals(env, ["link.json", "sizes.html", "sizes.json", "tensorflow-core.map"], files)
    asserts.equals(env, "sizes.json", target[TfMobileLibraryInfo].size_report.basename)
    return analysistest.end(env)

outputs_test = analysistest.make(_outputs_impl)

def _map_impl(ctx):
    """The map comes from the link of the library, and the report is made from that map."""
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    (map_file,) = [f for f in target[OutputGroupInfo].sizes.to_list() if f.extension == "map"]
    actions = analysistest.target_actions(env)
    linking = [a for a in actions if map_file in a.outputs.to_list()]
    asserts.equals(env, ["CppLink"], [a.mnemonic for a in linking])
    asserts.true(env, target[TfMobileLibraryInfo].unstripped_library in linking[0].outputs.to_list())
    reading = [a for a in actions if a.mnemonic == "TfSizes"]
    asserts.true(env, map_file in reading[0].inputs.to_list())
    return analysistest.end(env)

map_test = analysistest.make(_map_impl)

# The parts of libraries, by name; None for the archives with sources that tfcarve wrote.
_PARTS = {
    "abseil": "third party",
    "c_api": "C interface",
    "core": "core",
    "core_registering": "core",
    "library": None,
    "loops": "kernel helpers",
    "math": "kernel helpers",
    "models": "C interface",
    "protobuf_lite": "third party",
    "threads": "kernel helpers",
}

def _link_json_impl(ctx):
    """link.json has the flags and the forced archives of the link that makes the library, and the part of each library."""
    env = analysistest.begin(ctx)
    actions = analysistest.target_actions(env)
    (written,) = [a for a in actions if a.outputs.to_list()[0].basename == "link.json"]
    report = json.decode(written.content)
    argv = report["link"]["argv"]
    (linking,) = [a for a in actions if a.mnemonic == "CppLink" and "unstripped" in a.outputs.to_list()[0].path]
    flags = [f for f in argv if f.startswith("-Wl,") and "whole-archive" not in f and "-rpath" not in f]
    missing = [f for f in flags if f not in linking.argv]
    asserts.equals(env, [], missing)
    asserts.true(env, "-Wl,--gc-sections" in flags)
    forced = [
        argv[i + 1].split("/")[-1]
        for i in range(len(argv))
        if argv[i] == "-Wl,--whole-archive"
    ]
    asserts.equals(env, ["libc_api", "libcore_registering", "libunits"], sorted([f.split(".")[0] for f in forced]))
    parts = {library["name"]: library["part"] for library in report["libraries"]}
    for name, part in _PARTS.items():
        asserts.true(env, name in parts, "%s is among %s" % (name, parts.keys()))
        asserts.equals(env, part, parts.get(name), name)
    asserts.true(env, report["link"]["source"] in argv)
    asserts.true(env, report["link"]["output"] in argv)
    compile = report["compile"]["argv"]
    asserts.true(env, "-std=c++17" in compile)
    asserts.true(env, report["compile"]["source"] in compile)
    asserts.true(env, report["compile"]["output"] in compile)
    return analysistest.end(env)

link_json_test = analysistest.make(_link_json_impl)
