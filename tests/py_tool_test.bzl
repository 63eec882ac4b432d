"""Tests in Python."""

load("//rules/private/python:environments.bzl", "environment")
load("//rules/private/python:python.bzl", _py_tool_test = "py_tool_test")
load("//tests/imports:modules.bzl", "MODULES")

def py_tool_test(name, srcs, env = {}, tags = [], deps = [], commands = [], **kwargs):
    """A test: runs pytest on the test_*.py files of srcs in the environment "dev".

    It has the modules of tfcarve that its sources need (tests/imports), and is run again if one of them changes. A test with
    the tag "manual" has all of its cases: see tests/extent.

    Args:
        name: name of the target.
        srcs: test files and their helpers.
        env: environment of the test; $(rlocationpath ...) of data is expanded.
        tags: tags of the test.
        deps: py_sources or py_tool targets: helpers of other folders.
        commands: subcommands of tfcarve that it runs and its sources do not name, as in the commands of a page.
        **kwargs: data, imports, env_inherit, and common attributes of tests.
    """
    files = [native.package_name() + "/" + file for file in srcs]
    modules = {module: None for file in files for module in MODULES.get(file, [])}
    modules |= {"commands/" + command.replace("-", "_"): None for command in commands}
    _py_tool_test(
        name = name,
        environment = environment("dev"),
        srcs = srcs,
        env = ({"TFCARVE_TESTS": "full"} if "manual" in tags else {}) | env,
        tags = tags,
        deps = deps + ["//tools:tfcarve/" + module for module in modules],
        **kwargs
    )
