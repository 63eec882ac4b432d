"""The generated pages are what their generators write."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from docs import pages
from docs.markdown import UPDATE
from docs.tree import ROOT


@pytest.fixture(name="generated", scope="module")
def _generated() -> dict[str, str]:
    runfiles = Path(os.environ["RUNFILES_DIR"])
    rules_doc, extensions_doc = (
        runfiles / os.environ[name] for name in ("RULES_DOC", "EXTENSIONS_DOC")
    )
    return pages.generated(ROOT, rules_doc, extensions_doc)


def _difference(name: str, wanted: str) -> str:
    file = ROOT / name
    found = file.read_text(encoding="utf-8") if file.exists() else ""
    lines = difflib.unified_diff(
        found.splitlines(), wanted.splitlines(), name, "generated", lineterm="", n=1
    )
    return "\n".join(lines)


def test_pages_are_up_to_date(generated: dict[str, str]) -> None:
    differences = [_difference(name, text) for name, text in generated.items()]
    stale = "\n".join(filter(None, differences))
    assert not stale, f"{stale}\nto update: {UPDATE}"


def test_no_schema_without_a_document(generated: dict[str, str]) -> None:
    schemas = (ROOT / "docs/reference/schemas").glob("*")
    extra = {str(file.relative_to(ROOT)) for file in schemas} - generated.keys()
    assert not extra, (
        f"no document in tests/docs/json_documents.py has these schemas: {sorted(extra)}"
    )


def test_the_rules_page_has_all_rules_that_apps_load(generated: dict[str, str]) -> None:
    text = generated["docs/reference/rules.md"]
    for name in ("tf_selection", "tf_mobile_library", "tf_size_test", "TfMobileLibraryInfo"):
        assert f"### {name}\n" in text


def test_a_stale_page_is_found() -> None:
    assert "+new line" in _difference("docs/reference/cli.md", "new line\n")
