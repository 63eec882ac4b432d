"""What a library tells those who link it without Bazel, as its rule writes it."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest")

def link_facts(env):
    """The facts that the link fragments of the tf_mobile_library under test are made from.

    Args:
      env: of an analysistest.

    Returns:
      dict, as tools/tfcarve/emit/link_facts.py reads it.
    """
    (facts,) = [
        json.decode(a.content)
        for a in analysistest.target_actions(env)
        if a.mnemonic == "FileWrite" and a.outputs.to_list()[0].basename == "link_facts.json"
    ]
    return facts
