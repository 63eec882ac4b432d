"""docs/reference/rules.md: the rules, providers and module extensions, from their docstrings."""

from __future__ import annotations

from docs.markdown import NOTE, cell, code, prose, table
from docs.module_info import Module, Parameter, Symbol

_LOAD = 'load("@tfcarve//rules:defs.bzl", "tf_mobile_library")'


def _signature(function: Symbol) -> str:
    names = [p.name for p in function.parameters if p.name != "kwargs"]
    more = ["**kwargs"] if len(names) < len(function.parameters) else []
    return f"```text\n{function.name}({', '.join([*names, *more])})\n```\n"


def _rows(parameters: tuple[Parameter, ...]) -> list[list[str]]:
    return [
        [code(p.name), "required" if p.mandatory else code(p.default), cell(p.doc)]
        for p in parameters
    ]


def _function(function: Symbol) -> list[str]:
    return [
        f"### {function.name}\n",
        _signature(function),
        prose(function.doc),
        table(["Parameter", "Default", "Meaning"], _rows(function.parameters)),
    ]


def _provider(provider: Symbol) -> list[str]:
    rows = [[code(field.name), cell(field.doc)] for field in provider.parameters]
    return [f"### {provider.name}\n", prose(provider.doc), table(["Field", "Meaning"], rows)]


def _extension(extension: Symbol) -> list[str]:
    parts = [f"### {extension.name}\n", prose(extension.doc)]
    for tag in extension.tags:
        parts += [f"#### {extension.name}.{tag.name}\n", prose(tag.doc)]
        if tag.parameters:
            parts.append(table(["Attribute", "Default", "Meaning"], _rows(tag.parameters)))
    return parts


def markdown(rules: Module, extensions: Module) -> str:
    """Returns the page.

    Args:
        rules: what //rules:defs.bzl exports.
        extensions: what //rules:extensions.bzl exports.
    """
    parts = [NOTE, "# Rules and providers\n", "## Rules\n", prose(rules.doc)]
    parts += [f"```starlark\n{_LOAD}\n```\n"]
    for function in rules.functions:
        parts += _function(function)
    parts += ["## Providers\n"]
    for provider in rules.providers:
        parts += _provider(provider)
    parts += ["## Module extensions\n", prose(extensions.doc)]
    for extension in extensions.extensions:
        parts += _extension(extension)
    return "\n".join(parts)
