"""The compile commands of a library's sources that are known at analysis."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest")

def compile_commands(env):
    """Returns the compiler's arguments for the sources of the tf_mobile_library under test.

    Those of units come from link.json, because their actions are created during the build.

    Args:
      env: the environment of an analysis test.

    Returns:
      dict, kind of source ("manifest", "units", "hot units") to list of arguments.
    """
    actions = analysistest.target_actions(env)
    (manifest,) = [a.argv for a in actions if a.mnemonic == "CppCompile" and a.argv]
    (link,) = [json.decode(a.content) for a in actions if a.outputs.to_list()[0].basename == "link.json"]
    return {
        "hot units": link["hot_compile"]["argv"],
        "manifest": manifest,
        "units": link["compile"]["argv"],
    }
