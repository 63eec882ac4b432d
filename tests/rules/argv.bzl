"""The command lines of actions in analysis tests."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def own(path):
    """Returns a path without the output directory of its configuration.

    Args:
      path: path of an action's file, or any other word.

    Returns:
      string.
    """
    return path.partition("/bin/")[2] or path

def argv(env, mnemonic):
    """Returns the arguments of the only action with a mnemonic.

    Args:
      env: the environment of an analysis test.
      mnemonic: the action's mnemonic.

    Returns:
      list of strings.
    """
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]
    asserts.equals(env, 1, len(actions))
    return actions[0].argv[1:]
