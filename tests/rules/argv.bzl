"""What analysis tests look at of actions."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")

def own(path):
    """A path without the folder of its configuration.

    Args:
      path: of an action's file, or any other word.

    Returns:
      a string.
    """
    return path.partition("/bin/")[2] or path

def argv(env, mnemonic):
    """The words of the only action with a mnemonic, without the tool.

    Args:
      env: of an analysis test.
      mnemonic: of the action.

    Returns:
      list of strings.
    """
    actions = [a for a in analysistest.target_actions(env) if a.mnemonic == mnemonic]
    asserts.equals(env, 1, len(actions))
    return actions[0].argv[1:]
