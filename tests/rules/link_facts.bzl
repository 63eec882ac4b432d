"""The link facts that tf_mobile_library writes for other build systems."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest")

def link_facts(env):
    """Returns the link facts of the tf_mobile_library under test.

    Args:
      env: the environment of an analysis test.

    Returns:
      dict, in the form that tools/tfcarve/emit/link_facts.py reads.
    """
    (facts,) = [
        json.decode(a.content)
        for a in analysistest.target_actions(env)
        if a.mnemonic == "FileWrite" and a.outputs.to_list()[0].basename == "link_facts.json"
    ]
    return facts
