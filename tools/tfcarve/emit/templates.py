"""Fills the jinja2 templates of the folder templates/."""

from pathlib import Path
from typing import Any

from tfcarve.emit.cstring import quote


def _folder() -> Path:
    """Returns where the templates are: beside the package in a wheel, at the repository's top else."""
    package = Path(__file__).parents[1]
    inside = package / "templates"
    return inside if inside.is_dir() else package.parents[1] / "templates"


def fill(name: str, **values: Any) -> bytes:
    """Returns the template `name` filled with `values`."""
    import jinja2  # it takes a while to load: only who emits a file waits for it

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["cstring"] = quote
    return environment.get_template(name).render(**values).encode()
