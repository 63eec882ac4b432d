"""mkdocs hook: links from pages to files of the repository that are not part of the site."""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import Any

_LOG = logging.getLogger("mkdocs.hooks.repository_links")
_LINK = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s]+)\)")


def resolved(markdown: str, page: str, root: Path, repository: str) -> tuple[str, list[str]]:
    """Replaces links to files outside docs/.

    Args:
        markdown: the text of a page.
        page: its path in docs/.
        root: the source tree.
        repository: address of the repository; "" if it has none, then only the text of a link stays.

    Returns:
        The text, and the links whose file does not exist.
    """
    broken = []

    def replaced(found: re.Match[str]) -> str:
        text, link = found.groups()
        target = link.partition("#")[0]
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))
        if path.startswith("docs/"):
            return found.group()
        if path.startswith("../") or not (root / path).exists():
            broken.append(link)
        return f"[{text}]({repository.rstrip('/')}/blob/main/{path})" if repository else text

    return _LINK.sub(replaced, markdown), broken


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_kwargs: Any) -> str:
    """Called by mkdocs for each page; a link to a missing file is a warning, an error with --strict."""
    root = Path(config.config_file_path).parent
    text, broken = resolved(markdown, page.file.src_uri, root, config.repo_url or "")
    for link in broken:
        _LOG.warning("%s: link to a file that does not exist: %s", page.file.src_uri, link)
    return text
