"""The Python environments: one row each."""

visibility(["//rules/..."])

# Fields of a row:
#   repository  name of the repository with the virtual environment
#   lock        file in //third_party/python with the requirements and their hashes
#   oldest      oldest Python that the lock file is for
#   newest      newest one
#   dev         whether only tfcarve's own tests use it; apps do not have its repository
ENVIRONMENTS = {
    "dev": struct(repository = "tfcarve_python_dev", lock = "dev.txt", oldest = "3.11", newest = "3.11", dev = True),
    "litert": struct(repository = "tfcarve_python_litert", lock = "litert.txt", oldest = "3.11", newest = "3.11", dev = False),
    "tensorflow": struct(repository = "tfcarve_python_tensorflow", lock = "tensorflow.txt", oldest = "3.11", newest = "3.11", dev = False),
    "tools": struct(repository = "tfcarve_python", lock = "tools.txt", oldest = "3.11", newest = "3.13", dev = False),
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
