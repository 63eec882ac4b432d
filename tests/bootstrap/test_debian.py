"""Parsing apt's output and Debian's packages."""

import pytest

from bootstrap.apt import debian_mirror
from bootstrap.console import BootstrapError
from bootstrap.debian_bazel import present_names, without_class_path

SECURITY = "http://mirror.example/debian-security/|Debian-Security|main"
FOREIGN = "https://tools.example/apt/|Other|main"
DEBIAN = "http://mirror.example/debian/|Debian|main"


def test_mirror_of_debians_main_archive() -> None:
    listing = "\n".join([FOREIGN, SECURITY, DEBIAN])
    assert debian_mirror(listing) == "http://mirror.example/debian/"


def test_mirror_before_the_first_update() -> None:
    listing = "https://tools.example/apt/|$(LABEL)|main\nhttp://m.example/debian/|$(LABEL)|main"
    assert debian_mirror(listing) == "http://m.example/debian/"


def test_no_mirror() -> None:
    with pytest.raises(BootstrapError, match="no Debian mirror is configured"):
        debian_mirror("\n".join([FOREIGN, SECURITY]))


@pytest.mark.parametrize(
    ("wanted", "available", "names"),
    [
        (["libc6"], {"libc6"}, ["libc6"]),
        (["libabsl20260526"], {"libabsl20270101"}, ["libabsl20270101"]),
        (["libprotobuf32t64"], {"libprotobuf33", "libc6"}, ["libprotobuf33"]),
        (["libx1"], {"libx2", "libx3"}, ["libx1"]),
        (["gone"], set(), ["gone"]),
    ],
)
def test_renamed_library_packages(wanted: list[str], available: set[str], names: list[str]) -> None:
    assert present_names(wanted, available) == names


def test_manifest_without_class_path() -> None:
    manifest = b"Manifest-Version: 1.0\r\nClass-Path: /a.jar\r\n  /b.jar\r\nX: y\r\n"
    assert without_class_path(manifest) == b"Manifest-Version: 1.0\r\nX: y\r\n"
