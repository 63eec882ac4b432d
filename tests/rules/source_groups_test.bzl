"""Analysis tests of the sources that are compiled together."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

_GROUPS = {
    "a_1.cc": ["tests/rules/a/1.cc", "tests/rules/a/2.cc"],
    "a_1.pb.cc": ["tests/rules/a/4.pb.cc"],
    "a_2.cc": ["tests/rules/a/3.cc"],
    "b_1.cc": ["tests/rules/b/1.cc"],
}
SOURCES = [source.removeprefix("tests/rules/") for sources in _GROUPS.values() for source in sources]

def _together_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(
        env,
        {
            "tests_rules_" + name: "".join(['#include "%s"\n' % source for source in sources])
            for name, sources in _GROUPS.items()
        },
        {a.outputs.to_list()[0].basename: a.content for a in analysistest.target_actions(env)},
    )
    return analysistest.end(env)

together_test = analysistest.make(_together_impl)

def _alone_impl(ctx):
    env = analysistest.begin(ctx)
    files = analysistest.target_under_test(env)[DefaultInfo].files.to_list()
    asserts.equals(env, SOURCES, [file.short_path.removeprefix("tests/rules/") for file in files])
    asserts.equals(env, [], analysistest.target_actions(env))
    return analysistest.end(env)

alone_test = analysistest.make(
    _alone_impl,
    config_settings = {str(Label("//rules/config:source_groups")): False},
)
