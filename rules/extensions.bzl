"""The module extensions: they create the same repositories as the macros for WORKSPACE."""

load("//third_party/tensorflow/releases:releases.bzl", "DEFAULT_RELEASE")
load(":repositories.bzl", "tfcarve_dev_repositories", "tfcarve_repositories")

# Names a release that takes precedence, so that tests of tfcarve run with each release.
_RELEASE_VARIABLE = "TFCARVE_RELEASE"

_tensorflow = tag_class(
    doc = "The TensorFlow release. Only the root module can choose it; the default is %s." % DEFAULT_RELEASE,
    attrs = {
        "archive": attr.string(doc = """The path or URL of an archive with TensorFlow's sources, or the path of a folder with them: a
copy of the pinned archive, a fork or a patched tree. Paths are relative to the root module. By default the archive that the
release pins."""),
        "sha256": attr.string(doc = "The SHA-256 of `archive`, if it is not the pinned archive."),
        "version": attr.string(mandatory = True, doc = "Major and minor version, a folder of //third_party/tensorflow/releases."),
    },
)

def _tfcarve_impl(ctx):
    choices = {
        (tag.version, tag.archive, tag.sha256): None
        for module in ctx.modules
        if module.is_root
        for tag in module.tags.tensorflow
    }.keys()
    if len(choices) > 1:
        fail("tfcarve.tensorflow: only one TensorFlow release per build; found: %s" % ", ".join([c[0] for c in choices]))
    version, archive, sha256 = choices[0] if choices else (DEFAULT_RELEASE, "", "")
    other = ctx.os.environ.get(_RELEASE_VARIABLE)
    if other and other != version:
        version, archive, sha256 = other, "", ""
    tfcarve_repositories(version, archive, sha256)

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
