"""Renders the jinja2 templates in the folder templates/."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfcarve.emit.cstring import quote

if TYPE_CHECKING:
    import jinja2


def _folder() -> Path:
    """Returns the folder with the templates: inside the package in a wheel, otherwise at the repository's root."""
    package = Path(__file__).parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parents[1] / "templates"


@functools.cache
def _environment() -> "jinja2.Environment":
    import jinja2  # slow to import, and few commands need it

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["cstring"] = quote
    return environment


def fill(name: str, **values: Any) -> bytes:
    """Returns the template `name` rendered with `values`."""
    return _environment().get_template(name).render(**values).encode()
