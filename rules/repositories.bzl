"""Every repository that tfcarve brings, one function each.

WORKSPACE and the module extension call the same ones.
"""

load("//rules/private/python:python_repository.bzl", "python_repository")
load("//rules/private/python:sources_digest_repository.bzl", "sources_digest_repository")
load("//rules/private/sources:source_repository.bzl", "source_repository")
load("//rules/private/toolchains:cross_repository.bzl", "cross_repository")
load("//rules/private/toolchains:lld_repository.bzl", "lld_repository")

def _source(pin):
    source_repository(
        name = "tfcarve_" + pin,
        build_file = Label("//third_party/{0}:{0}.BUILD".format(pin)),
        pin = pin,
    )

def tfcarve_tensorflow():
    """TensorFlow's sources, with its BUILD files kept as data."""
    _source("tensorflow")

def tfcarve_protobuf():
    """Protocol Buffers: the runtime and protoc."""
    _source("protobuf")

def tfcarve_abseil():
    """Abseil's C++ libraries."""
    _source("abseil")

def tfcarve_eigen():
    """Eigen's headers, at the commit that TensorFlow pins."""
    _source("eigen")

def tfcarve_nsync():
    """nsync: mutexes and condition variables."""
    _source("nsync")

def tfcarve_double_conversion():
    """double-conversion: floating point to text and back."""
    _source("double_conversion")

def tfcarve_farmhash():
    """FarmHash."""
    _source("farmhash")

def tfcarve_re2():
    """RE2: regular expressions."""
    _source("re2")

def tfcarve_zlib():
    """zlib: compressed records."""
    _source("zlib")

def tfcarve_gemmlowp():
    """gemmlowp's headers: products of small integers."""
    _source("gemmlowp")

def tfcarve_ml_dtypes():
    """ml_dtypes' float8.h."""
    _source("ml_dtypes")

def tfcarve_cross():
    """A toolchain for each platform: the system's cross compiler, or what says that there is none."""
    cross_repository(name = "tfcarve_cross")

def tfcarve_lld():
    """Where LLVM's linker is."""
    lld_repository(name = "tfcarve_lld")

def tfcarve_python():
    """The Python environment of the tools."""
    python_repository(
        name = "tfcarve_python",
        lock = Label("//third_party/python:tools.txt"),
        newest = "3.13",
        oldest = "3.11",
    )

def tfcarve_python_tensorflow():
    """The same with full TensorFlow, to prepare models; fetched when a target needs it."""
    python_repository(
        name = "tfcarve_python_tensorflow",
        lock = Label("//third_party/python:tensorflow.txt"),
        newest = "3.11",
        oldest = "3.11",
    )

def tfcarve_python_dev():
    """The Python environment of the tests, with full TensorFlow; apps never need it."""
    python_repository(
        name = "tfcarve_python_dev",
        lock = Label("//third_party/python:dev.txt"),
        newest = "3.11",
        oldest = "3.11",
    )

def tfcarve_sources_digest():
    """A file that changes with what nested workspaces use of this module."""
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
    )

def tfcarve_repositories():
    """All that an app needs."""
    tfcarve_tensorflow()
    tfcarve_protobuf()
    tfcarve_abseil()
    tfcarve_eigen()
    tfcarve_nsync()
    tfcarve_double_conversion()
    tfcarve_farmhash()
    tfcarve_re2()
    tfcarve_gemmlowp()
    tfcarve_ml_dtypes()
    tfcarve_zlib()
    tfcarve_cross()
    tfcarve_lld()
    tfcarve_python()
    tfcarve_python_tensorflow()

def tfcarve_dev_repositories():
    """What only tfcarve's own tests need."""
    tfcarve_python_dev()
    tfcarve_sources_digest()
