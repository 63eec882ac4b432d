"""Renders the jinja2 templates in the folder templates/."""

import functools
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfcarve.emit.cstring import quote
from tfcarve.module_root import module_root

if TYPE_CHECKING:
    import jinja2


def _starlark(value: str | Sequence[str]) -> str:
    """Returns a string or a list of strings as Starlark has it, which is JSON's form."""
    return json.dumps(value, ensure_ascii=False)


@functools.cache
def _environment() -> "jinja2.Environment":
    import jinja2  # slow to import, and few commands need it

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(module_root() / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["cstring"] = quote
    environment.filters["starlark"] = _starlark
    return environment


def fill(name: str, **values: Any) -> bytes:
    """Returns the template `name` rendered with `values`."""
    return _environment().get_template(name).render(**values).encode()
