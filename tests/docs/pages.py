"""The generated files of the documentation: their paths and their text."""

from __future__ import annotations

from pathlib import Path

from c_interface import header
from docs import (
    c_api_page,
    cli_page,
    folders_page,
    front_page,
    json_page,
    module_info,
    overrides_page,
    rules_page,
)
from docs.json_documents import DOCUMENTS
from docs.tree import tracked
from tfcarve import cli, commands

_REFERENCE = "docs/reference"
_RELEASES = Path("third_party/tensorflow/releases")


def _releases(root: Path) -> dict[str, str]:
    files = sorted((root / _RELEASES).glob("*/release.toml"))
    return {file.parent.name: file.read_text(encoding="utf-8") for file in files}


def generated(root: Path, rules_doc: Path, extensions_doc: Path) -> dict[str, str]:
    """Returns the text of every generated file, by its path in the repository.

    Args:
        root: the source tree.
        rules_doc: ModuleInfo of //rules:defs.bzl, written by starlark_doc_extract.
        extensions_doc: ModuleInfo of //rules:extensions.bzl.
    """
    c_api = (root / header.FILE).read_text(encoding="utf-8")
    pages = {
        f"{_REFERENCE}/rules.md": rules_page.markdown(
            module_info.parse(rules_doc.read_bytes()),
            module_info.parse(extensions_doc.read_bytes()),
        ),
        f"{_REFERENCE}/cli.md": cli_page.markdown(cli.parser(), commands.GROUPS),
        f"{_REFERENCE}/c_api.md": c_api_page.markdown(c_api),
        "docs/folders.md": folders_page.markdown(root, tracked()),
        f"{_REFERENCE}/json.md": json_page.markdown(DOCUMENTS),
        "docs/overrides.md": overrides_page.markdown(
            _releases(root), (root / "benchmarks/results/OVERRIDES.md").read_text(encoding="utf-8")
        ),
    }
    benchmarks = {name: (root / name).read_text(encoding="utf-8") for name in front_page.PAGES}
    readme = (root / "README.md").read_text(encoding="utf-8")
    pages["README.md"] = front_page.placed(readme, benchmarks)
    for document in DOCUMENTS:
        file = f"{_REFERENCE}/schemas/{json_page.schema_file(document)}"
        pages[file] = json_page.schema(document)
    return pages
