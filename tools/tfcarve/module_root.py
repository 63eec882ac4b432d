"""Where tfcarve's Bazel module is: its rules, its templates and the data of TensorFlow's releases."""

from pathlib import Path


def module_root() -> Path:
    """Returns the root of the repository, or of its copy in the installed package."""
    package = Path(__file__).parent
    installed = package / "_module"
    return installed if installed.is_dir() else package.parents[1]
