"""The repositories of tfcarve. WORKSPACE files and the module extension call the same functions."""

load("//rules/private/python:environments.bzl", "ENVIRONMENTS")
load("//rules/private/python:python_repository.bzl", "cached_python_repository", "packaged_python_repository")
load("//rules/private/python:sources_digest_repository.bzl", "sources_digest_repository")
load("//rules/private/sources:source_repository.bzl", "source_repository")
load("//rules/private/tensorflow:release_repository.bzl", "release_repository", "repository_name")
load("//rules/private/toolchains:cross_repository.bzl", "cross_repository")
load("//rules/private/toolchains:lld_repository.bzl", "lld_repository")
load("//rules/private/toolchains:system_tools_repository.bzl", "system_tools_repository")
load("//third_party/tensorflow/releases:releases.bzl", "DEFAULT_RELEASE", "RELEASES")

# The libraries that TensorFlow is compiled with, at the versions that the release pins.
_LIBRARIES = [
    "abseil",
    "double_conversion",
    "eigen",
    "farmhash",
    "flatbuffers",
    "gemmlowp",
    "giflib",
    "highwayhash",
    "libjpeg_turbo",
    "libpng",
    "ml_dtypes",
    "nsync",
    "protobuf",
    "re2",
    "zlib",
]

def tfcarve_tensorflow(release = DEFAULT_RELEASE, archive = "", sha256 = ""):
    """TensorFlow's sources, the libraries that a release needs, and @tfcarve_tensorflow, which names the release.

    There is a repository for the sources of each release; Bazel fetches it only if a target of it is built.

    Args:
      release: name of a release in //third_party/tensorflow/releases.
      archive: the path or URL of an archive with TensorFlow's sources, or the path of a folder with them; by default the
        archive that the release pins. Paths are relative to the workspace.
      sha256: of the archive, if it is not the pinned one.
    """
    if sha256 and not archive:
        fail("sha256 is the checksum of archive, which is missing")
    if release not in RELEASES:
        fail("tfcarve does not build TensorFlow %s; known releases: %s" % (release, ", ".join(RELEASES)))
    for each in RELEASES:
        source_repository(
            name = repository_name(each),
            build_file = Label("//third_party/tensorflow/releases/{}:tensorflow.BUILD".format(each)),
            pin = "tensorflow",
            pins = Label("//third_party/tensorflow/releases/{}:pins.json".format(each)),
            **({"archive": archive, "sha256": sha256} if each == release else {})
        )
    for pin in _LIBRARIES:
        source_repository(
            name = "tfcarve_" + pin,
            build_file = Label("//third_party/{0}:{0}.BUILD".format(pin)),
            pin = pin,
            pins = Label("//third_party/tensorflow/releases/{}:pins.json".format(release)),
        )
    release_repository(name = "tfcarve_tensorflow", release = release)

def tfcarve_cross():
    """A toolchain for each platform: the system's cross compiler, or a stub that names the missing programs."""
    cross_repository(name = "tfcarve_cross")

def tfcarve_lld():
    """Finds lld."""
    lld_repository(name = "tfcarve_lld")

def tfcarve_system_tools():
    """Finds the programs that the tools run."""
    system_tools_repository(name = "tfcarve_system_tools")

def tfcarve_python(dev):
    """The Python environments.

    Args:
      dev: True: the environments of tfcarve's own tests; False: the environments that apps need.
    """
    for row in ENVIRONMENTS.values():
        if row.dev != dev:
            continue
        repository = packaged_python_repository if row.packaged else cached_python_repository
        repository(
            name = row.repository,
            lock = Label("//third_party/python:" + row.lock),
            newest = row.newest,
            oldest = row.oldest,
            **({"optional": True} if row.optional else {})
        )

def tfcarve_sources_digest():
    """A file that changes with the sources that nested workspaces use."""
    sources_digest_repository(
        name = "tfcarve_sources_digest",
        files = [
            "MODULE.bazel",
            "WORKSPACE",
            "bazelw",
        ],
        folders = [
            "rules",
            "templates",
            "third_party",
            "tools",
        ],
        targets = [
            "tools/modules.bzl",
            "tools/tfcarve/",
        ],
    )

def tfcarve_repositories(tensorflow = DEFAULT_RELEASE, archive = "", sha256 = ""):
    """All that an app needs.

    Args:
      tensorflow: name of the TensorFlow release.
      archive: as in tfcarve_tensorflow.
      sha256: as in tfcarve_tensorflow.
    """
    tfcarve_tensorflow(tensorflow, archive, sha256)
    tfcarve_cross()
    tfcarve_lld()
    tfcarve_system_tools()
    tfcarve_python(dev = False)

def tfcarve_dev_repositories():
    """Only for tfcarve's own tests."""
    tfcarve_python(dev = True)
    tfcarve_sources_digest()
