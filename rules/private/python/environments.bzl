"""The Python environments: one row each."""

visibility(["//rules/...", "//tests"])

# Fields of a row:
#   repository  name of its repository
#   lock        file in //third_party/python with the requirements and their hashes
#   oldest      oldest Python that the lock file is for
#   newest      newest Python that the lock file is for
#   packaged    whether its packages are inputs of actions, which can then run on other machines; if not, it is a virtual
#               environment in the user's cache: TensorFlow's package has a gigabyte
#   optional    whether rules do without it where it cannot be installed, for example because no wheel is for the platform
#   dev         whether only tfcarve's own tests use it; apps do not have its repository
ENVIRONMENTS = {
    "dev": struct(repository = "tfcarve_python_dev", lock = "dev.txt", oldest = "3.11", newest = "3.11", packaged = False, optional = False, dev = True),
    "keras": struct(repository = "tfcarve_python_keras", lock = "keras.txt", oldest = "3.11", newest = "3.11", packaged = False, optional = False, dev = False),
    "litert": struct(repository = "tfcarve_python_litert", lock = "litert.txt", oldest = "3.11", newest = "3.11", packaged = False, optional = False, dev = False),
    "protoc": struct(repository = "tfcarve_python_protoc", lock = "protoc.txt", oldest = "3.11", newest = "3.13", packaged = True, optional = True, dev = False),
    "tensorflow": struct(repository = "tfcarve_python_tensorflow", lock = "tensorflow.txt", oldest = "3.11", newest = "3.11", packaged = False, optional = False, dev = False),
    "tensorflow_2_16": struct(repository = "tfcarve_python_tensorflow_2_16", lock = "tensorflow_2_16.txt", oldest = "3.11", newest = "3.11", packaged = False, optional = False, dev = True),
    "tensorflow_2_18": struct(repository = "tfcarve_python_tensorflow_2_18", lock = "tensorflow_2_18.txt", oldest = "3.11", newest = "3.11", packaged = False, optional = False, dev = True),
    "tools": struct(repository = "tfcarve_python", lock = "tools.txt", oldest = "3.11", newest = "3.13", packaged = True, optional = False, dev = False),
}

def environment(name):
    """Returns the label of an environment.

    Args:
      name: key of ENVIRONMENTS.
    """
    if name not in ENVIRONMENTS:
        fail("unknown Python environment %r; known environments: %s" % (name, ", ".join(ENVIRONMENTS)))

    # Resolved when it is called, because apps do not have the repositories of tests.
    return Label("@%s//:environment" % ENVIRONMENTS[name].repository)
