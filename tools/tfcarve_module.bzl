"""tfcarve_module: a module of the Python package tfcarve."""

load("//rules/private/python:python.bzl", "py_sources")

visibility("private")

def tfcarve_module(name, modules, deps = [], **kwargs):
    """A module, with the packages that contain it.

    Args:
      name: the path of the module, without .py.
      modules: the modules that it imports, by their paths below tfcarve/.
      deps: other py_sources.
      **kwargs: other attributes of py_sources.
    """
    folders = name.split("/")[:-1]
    packages = ["/".join(folders[:end + 1]) + "/__init__" for end in range(len(folders))]
    py_sources(
        name = name,
        srcs = [name + ".py"],
        deps = deps + ["tfcarve/" + module for module in modules] +
               [package for package in packages if package != name],
        **kwargs
    )
