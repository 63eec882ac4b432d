"""The third-party sources that a tree's own build downloads."""

from __future__ import annotations

from pathlib import Path

from new_release import pins
from new_release.pins import Pin

_WORKSPACE = """\
def _repositories():
    tf_http_archive(
        name = "com_google_protobuf",
        sha256 = "f66073",
        strip_prefix = "protobuf-3.21.9",
        urls = tf_mirror_urls("https://example.org/v3.21.9.zip"),
    )
    tf_http_archive(
        name = "nsync",
        sha256 = "2be9db",
        urls = ["https://mirror.example.org/nsync.tar.gz", "https://example.org/nsync.tar.gz"],
    )
    tf_http_archive(name = "zlib", sha256 = digest_of("zlib"), urls = ["https://example.org/zlib.tar.gz"])
    tf_http_archive(name = "unknown", sha256 = "0", urls = ["https://example.org/unknown.tar.gz"])
"""
_ABSEIL = """\
def repo():
    COMMIT = "fb3621"
    SHA256 = "032058"
    tf_http_archive(
        name = "com_google_absl",
        sha256 = SHA256,
        strip_prefix = "abseil-cpp-{commit}".format(commit = COMMIT),
        urls = tf_mirror_urls("https://example.org/{commit}.tar.gz".format(commit = COMMIT)),
    )
"""


def _write(root: Path, abseil: str) -> Path:
    for file, text in (
        ("tensorflow/workspace2.bzl", _WORKSPACE),
        ("third_party/absl/workspace.bzl", abseil),
    ):
        (root / file).parent.mkdir(parents=True)
        (root / file).write_text(text)
    return root


def test_archives_by_name(tmp_path: Path) -> None:
    # The digest of zlib is not constant.
    assert pins.of_tree(_write(tmp_path, _ABSEIL)) == {
        "abseil": Pin("https://example.org/fb3621.tar.gz", "032058", "abseil-cpp-fb3621"),
        "nsync": Pin("https://example.org/nsync.tar.gz", "2be9db", ""),
        "protobuf": Pin("https://example.org/v3.21.9.zip", "f66073", "protobuf-3.21.9"),
    }


def test_damaged_file(tmp_path: Path) -> None:
    found = pins.of_tree(_write(tmp_path, "def repo(:"))
    assert sorted(found) == ["nsync", "protobuf"]


def test_tree_without_the_files(tmp_path: Path) -> None:
    assert pins.of_tree(tmp_path) == {}
