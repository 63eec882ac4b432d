"""The documentation site is built without a warning and loads nothing from other hosts."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from docs.tree import ROOT

_LOADED = re.compile(
    r"""<(?:script|img|iframe)[^>]*\ssrc=["']?(?:https?:)?//"""
    r"""|<link[^>]*rel=["']?(?:stylesheet|preconnect)[^>]*href=["']?(?:https?:)?//"""
)


def _hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("links", ROOT / "docs/repository_links.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _build(root: Path, site: Path, repository: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", site],
        capture_output=True,
        check=False,
        cwd=root,
        env={
            "PATH": "/usr/bin:/bin",
            "TFCARVE_REPOSITORY": repository,
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        text=True,
    )


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("site")
    done = _build(ROOT, site)
    assert done.returncode == 0, done.stderr
    return site


def test_every_page_is_built(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")}
    for page in pages:
        folder = site if page.name == "index.md" else site / page.with_suffix("")
        assert (folder / "index.html").is_file(), page


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert not _LOADED.search(page.read_text(encoding="utf-8")), page


def test_a_font_of_another_host_is_found() -> None:
    assert _LOADED.search('<link rel="stylesheet" href="https://fonts.example/css">')
    assert _LOADED.search("<script src=//cdn.example/x.js></script>")
    assert not _LOADED.search('<link rel="canonical" href="https://site.example/">')


def test_a_broken_link_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    hook = (ROOT / "docs/repository_links.py").read_text(encoding="utf-8")
    (tmp_path / "docs/repository_links.py").write_text(hook, encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(settings + "\n", encoding="utf-8")
    page = tmp_path / "docs/index.md"
    for text, message in (
        ("[a](nowhere.md)", "nowhere.md"),
        ("[a](#nowhere)", "nowhere"),
        ("[a](../nowhere.cc)", "link to a file that does not exist: ../nowhere.cc"),
    ):
        page.write_text(f"# A\n\n{text}\n", encoding="utf-8")
        done = _build(tmp_path, tmp_path / "site")
        assert done.returncode == 1 and message in done.stderr, done.stderr
    page.write_text("# A\n\n[settings](../mkdocs.yml)\n", encoding="utf-8")
    assert _build(tmp_path, tmp_path / "site", "https://git.example/x").returncode == 0
    built = (tmp_path / "site/index.html").read_text(encoding="utf-8")
    assert "https://git.example/x/blob/main/mkdocs.yml" in built


@pytest.mark.parametrize(
    ("link", "page", "wanted"),
    [
        ("[r](../README.md)", "a.md", "[r](r://x/blob/main/README.md)"),
        ("[r](../../README.md#top)", "how-to/a.md", "[r](r://x/blob/main/README.md)"),
        ("[r](../size.md)", "how-to/a.md", "[r](../size.md)"),
        ("[r](b.md)", "a.md", "[r](b.md)"),
    ],
)
def test_links_to_the_repository(link: str, page: str, wanted: str) -> None:
    assert _hook().resolved(link, page, ROOT, "r://x/") == (wanted, [])


def test_links_without_a_repository_are_text() -> None:
    assert _hook().resolved("[r](../README.md)", "a.md", ROOT, "") == ("r", [])
    assert _hook().resolved("[r](../../x)", "a.md", ROOT, "")[1] == ["../../x"]


def test_glossary_is_short() -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| (?!Term)([^|-][^|]*) \|", text, re.MULTILINE)
    assert 20 < len(terms) <= 40
    assert terms == sorted(terms, key=str.casefold)
