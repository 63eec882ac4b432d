"""The module extensions: they create the same repositories as the macros for WORKSPACE."""

load("//third_party/tensorflow/releases:releases.bzl", "DEFAULT_RELEASE")
load(":repositories.bzl", "tfcarve_dev_repositories", "tfcarve_repositories")

# Names a release that takes precedence, so that tests of tfcarve run with each release.
_RELEASE_VARIABLE = "TFCARVE_RELEASE"

_tensorflow = tag_class(
    doc = "The TensorFlow release. Only the root module can choose it; the default is %s." % DEFAULT_RELEASE,
    attrs = {"version": attr.string(mandatory = True, doc = "Major and minor version, a folder of //third_party/tensorflow/releases.")},
)

def _tfcarve_impl(ctx):
    versions = {
        tag.version: None
        for module in ctx.modules
        if module.is_root
        for tag in module.tags.tensorflow
    }.keys()
    if len(versions) > 1:
        fail("tfcarve.tensorflow: only one TensorFlow release per build; found: %s" % ", ".join(versions))
    chosen = versions[0] if versions else DEFAULT_RELEASE
    tfcarve_repositories(ctx.os.environ.get(_RELEASE_VARIABLE) or chosen)

def _tfcarve_dev_impl(_ctx):
    tfcarve_dev_repositories()

tfcarve = module_extension(
    implementation = _tfcarve_impl,
    environ = [_RELEASE_VARIABLE],
    doc = "TensorFlow's sources and libraries, the cross compilers and the tools' Python environments.",
    tag_classes = {"tensorflow": _tensorflow},
)

tfcarve_dev = module_extension(
    implementation = _tfcarve_dev_impl,
    doc = "The Python environment of tests, with full TensorFlow.",
)
