"""How a library's sources are compiled, as far as that is known before a build."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest")

def compile_commands(env):
    """The compiler's arguments for the sources of the tf_mobile_library under test.

    Those of units are what link.json says: their own actions are made when the build runs.

    Args:
      env: of an analysistest.

    Returns:
      dict, kind of source ("manifest", "units", "hot units") to list of arguments.
    """
    actions = analysistest.target_actions(env)
    (manifest,) = [a.argv for a in actions if a.mnemonic == "CppCompile" and a.argv]
    (told,) = [json.decode(a.content) for a in actions if a.outputs.to_list()[0].basename == "link.json"]
    return {
        "hot units": told["hot_compile"]["argv"],
        "manifest": manifest,
        "units": told["compile"]["argv"],
    }
