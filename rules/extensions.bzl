"""The module extensions: the same repositories as WORKSPACE has."""

load(":repositories.bzl", "tfcarve_dev_repositories", "tfcarve_repositories")

def _tfcarve_impl(_ctx):
    tfcarve_repositories()

def _tfcarve_dev_impl(_ctx):
    tfcarve_dev_repositories()

tfcarve = module_extension(
    implementation = _tfcarve_impl,
    doc = "The pinned sources, the cross compilers and the tools' Python environments.",
)

tfcarve_dev = module_extension(
    implementation = _tfcarve_dev_impl,
    doc = "The Python environment of the tests, with full TensorFlow.",
)
