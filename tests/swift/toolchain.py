"""A Swift toolchain: Debian sid's, unpacked into the user's cache, where it runs with its own libc."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bootstrap.apt import PrivateApt
from bootstrap.cache import built_in_place, cache_root, scratch_folder

_SUITE = "sid"
_PACKAGES = (
    *("swiftlang", "libswiftlang", "dash", "git"),
    # What it compiles and links with.
    *(
        "binutils",
        "binutils-x86-64-linux-gnu",
        "libbinutils",
        "libsframe3",
        "libctf0",
        "libctf-nobfd0",
    ),
    *(
        "libc6",
        "libc6-dev",
        "linux-libc-dev",
        "libgcc-s1",
        "libgcc-16-dev",
        "libjansson4",
        "libgprofng0",
    ),
    *("libstdc++6", "libstdc++-16-dev"),
    # What its programs are linked with.
    *(
        "libcurl4t64",
        "libedit2",
        "libncurses6",
        "libpython3.14",
        "libsqlite3-0",
        "libtinfo6",
        "libuuid1",
    ),
    *(
        "libxml2-16",
        "libzstd1",
        "zlib1g",
        "libbsd0",
        "libmd0",
        "libexpat1",
        "libffi8",
        "libpcre2-8-0",
    ),
    *("libnghttp2-14", "libnghttp3-9", "libngtcp2-16", "libngtcp2-crypto-ossl0", "libidn2-0"),
    *(
        "libunistring5",
        "libssh2-1t64",
        "libpsl5t64",
        "libssl3t64",
        "libbrotli1",
        "libgssapi-krb5-2",
    ),
    *("libkrb5-3", "libk5crypto3", "libkrb5support0", "libcom-err2", "libkeyutils1", "libldap2"),
    "libsasl2-2",
)
_MERGED = ("bin", "lib", "lib64", "sbin")
_PATH = "/usr/libexec/swift/bin:/usr/bin"


def root() -> Path:
    """Returns the folder that its programs see as the root of the file system; the first call downloads 0.6 GB."""
    folder = cache_root() / "swift"
    with built_in_place(folder) as missing:
        if missing:
            apt = PrivateApt(_SUITE, sources=False)
            apt.refresh()
            with scratch_folder(folder) as scratch:
                apt.download_binaries(list(_PACKAGES), scratch)
                for package in scratch.glob("*.deb"):
                    subprocess.run(["dpkg", "-x", package, folder], check=True)
            for name in _MERGED:
                if not (folder / name).exists():
                    (folder / name).symlink_to(f"usr/{name}")
            for name in ("dev", "proc", "tmp"):
                (folder / name).mkdir(exist_ok=True)
    return folder


def run(work: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of the toolchain.

    Args:
      work: its working directory, below root().
      words: the program, and its arguments.
    """
    place = root()
    # Its programs find their libraries through /proc, and need /dev/urandom: in namespaces, which end with the program.
    isolated = (
        "unshare",
        "--map-root-user",
        "--mount",
        "--pid",
        "--fork",
        f"--mount-proc={place / 'proc'}",
    )
    entered = ("/bin/sh", "-c", 'mount --rbind /dev "$1/dev" && exec chroot "$@"', "sh", place)
    moved = ("/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", work)
    return subprocess.run(
        [*isolated, *entered, *moved, *words],
        check=False,
        capture_output=True,
        text=True,
        env={"PATH": f"{_PATH}:/usr/sbin:/bin:/sbin", "HOME": "/tmp", "LC_ALL": "C.UTF-8"},
    )
