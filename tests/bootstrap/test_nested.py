"""From an app's workspace: the cross toolchain, and the messages if something is missing."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

import extent
from tfcarve.app.workspace import Workspace

ROOT = (Path(os.environ["RUNFILES_DIR"]) / "_main/bazelw").resolve().parent
ARM64 = "--platforms=@tfcarve//rules/platforms:linux_arm64"

MODULE = """\
module(name = "app")
bazel_dep(name = "rules_cc", version = "0.0.11")
bazel_dep(name = "tfcarve")
local_path_override(module_name = "tfcarve", path = "{root}")
sources = use_extension("@tfcarve//rules:extensions.bzl", "tfcarve")
use_repo(sources, "tfcarve_nsync")
"""

BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_binary")
cc_binary(name = "hello", srcs = ["hello.cc"])
"""

HELLO = """\
#include <iostream>
int main() { std::cout << "hello from " << sizeof(void*) * 8 << " bits\\n"; }
"""


class App:
    """A small app with its own folder and Bazel server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "app"
        self.folder.mkdir()
        (self.folder / "MODULE.bazel").write_text(MODULE.format(root=ROOT))
        (self.folder / "BUILD").write_text(BUILD)
        (self.folder / "hello.cc").write_text(HELLO)
        self._startup = f"--output_user_root={folder / 'out'}"

    def bazel(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [ROOT / "bazelw", self._startup, *arguments],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
        )


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    app = App(tmp_path_factory.mktemp("nested"))
    yield app
    app.bazel("shutdown")


@pytest.fixture(scope="module")
def poor_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with all programs of the system except the cross compiler and apt."""
    folder = tmp_path_factory.mktemp("bin")
    for program in Path("/usr/bin").iterdir():
        if not program.name.startswith(("aarch64-linux-gnu", "apt")):
            (folder / program.name).symlink_to(program)
    return str(folder)


def test_arm64_program_runs(app: App) -> None:
    if not shutil.which("aarch64-linux-gnu-g++"):
        pytest.skip("no cross compiler is installed")
    done = app.bazel("build", "//:hello", ARM64)
    assert done.returncode == 0, done.stderr
    binary = app.folder / "bazel-bin/hello"
    header = binary.read_bytes()[:20]
    assert header[18] == 0xB7, "not an AArch64 program"
    if not shutil.which("qemu-aarch64-static"):
        pytest.skip("qemu is not installed")
    ran = subprocess.run(
        ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", binary],
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "hello from 64 bits\n"


def test_flags_of_the_arm64_compile(app: App) -> None:
    if not shutil.which("aarch64-linux-gnu-g++"):
        pytest.skip("no cross compiler is installed")
    text = app.bazel("aquery", "mnemonic(CppCompile, //:hello)", ARM64).stdout
    assert "aarch64-linux-gnu-g++" in text
    assert "-mcpu=cortex-a53" in text
    host = app.bazel("aquery", "mnemonic(CppCompile, //:hello)").stdout
    assert "CppCompile" in host
    assert "aarch64" not in host and "-mcpu" not in host


def test_missing_cross_compiler_breaks_arm64_only(app: App, poor_path: str) -> None:
    environment = {"PATH": poor_path, "TFCARVE_NO_INSTALL": "1"}
    done = app.bazel("build", "//:hello", ARM64, environment=environment)
    assert done.returncode != 0
    assert "no C++ toolchain for linux_arm64" in done.stderr
    assert "sudo apt-get install g++-aarch64-linux-gnu" in done.stderr
    host = app.bazel("build", "//:hello", environment=environment)
    assert host.returncode == 0, host.stderr


def test_source_that_is_not_available(app: App, poor_path: str, tmp_path: Path) -> None:
    damaged = tmp_path / "nsync_1.29.2.orig.tar.gz"
    damaged.write_bytes(b"not an archive")
    environment = {
        "PATH": poor_path,
        "TFCARVE_DISTDIR": str(tmp_path),
        "TFCARVE_NO_INSTALL": "1",
        # No network, and an empty cache for everything but Bazel itself.
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
    }
    done = app.bazel(
        "query",
        f"--repo_env=XDG_CACHE_HOME={tmp_path}",
        "@tfcarve_nsync//:all",
        environment=environment,
    )
    assert done.returncode != 0
    message = done.stderr
    assert "could not get the source of nsync 1.29.2; tried:" in message
    actual = hashlib.sha256(b"not an archive").hexdigest()
    assert (
        "distdir: the checksum of nsync_1.29.2.orig.tar.gz is wrong: expected 1d63e9679737"
        in message
    )
    assert actual in message
    assert "cache: not in the user's cache" in message
    assert "upstream: could not download" in message
    assert "Debian's source package: apt-get is missing: this works on Debian only" in message
    assert "Python package: no Python package contains it" in message


OTHER_MODULE = """\
module(name = "other")
bazel_dep(name = "platforms", version = "0.0.10")
bazel_dep(name = "rules_cc", version = "0.0.11")
"""

# A toolchain for Android whose programs do nothing.
OTHER_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load("@rules_cc//cc/private/toolchain:unix_cc_toolchain_config.bzl", "cc_toolchain_config")
TOOLS = "ar cpp dwp gcc gcov ld llvm-cov llvm-profdata nm objcopy objdump strip".split(" ")
cc_toolchain_config(
    name = "config",
    abi_libc_version = "other",
    abi_version = "other",
    compiler = "other",
    cpu = "other",
    cxx_builtin_include_directories = [],
    host_system_name = "other",
    target_libc = "other",
    target_system_name = "other",
    tool_paths = {tool: "/bin/true" for tool in TOOLS},
    toolchain_identifier = "other",
)
filegroup(name = "none")
cc_toolchain(
    name = "cc",
    all_files = ":none",
    compiler_files = ":none",
    dwp_files = ":none",
    linker_files = ":none",
    objcopy_files = ":none",
    strip_files = ":none",
    toolchain_config = ":config",
)
toolchain(
    name = "android",
    target_compatible_with = ["@platforms//os:android", "@platforms//cpu:aarch64"],
    toolchain = ":cc",
    toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
)
"""

TFCARVE_DEP = 'bazel_dep(name = "tfcarve")\n'
OTHER_DEP = """\
bazel_dep(name = "other")
local_path_override(module_name = "other", path = "other")
"""


_BEFORE = ("other", "before tfcarve", "@other//:cc")
# tfcarve's stub, whose message says that the app has to register one.
_AFTER = ("other", "after tfcarve", "tfcarve_cross//android_arm64:cc_toolchain")
_OF_THE_APP = ("app", "after tfcarve", "@other//:cc")


@pytest.mark.parametrize(
    ("registered_by", "position", "toolchain"),
    extent.some([_OF_THE_APP, _BEFORE, _AFTER], _OF_THE_APP, _AFTER),
)
def test_order_of_toolchains(app: App, registered_by: str, position: str, toolchain: str) -> None:
    other = app.folder / "other"
    other.mkdir(exist_ok=True)
    registration = {registered_by: 'register_toolchains("@other//:all")\n'}
    (other / "BUILD").write_text(OTHER_BUILD)
    (other / "MODULE.bazel").write_text(OTHER_MODULE + registration.get("other", ""))
    module = app.folder / "MODULE.bazel"
    own = MODULE.format(root=ROOT)
    deps = (TFCARVE_DEP, OTHER_DEP) if position == "after tfcarve" else (OTHER_DEP, TFCARVE_DEP)
    module.write_text(own.replace(TFCARVE_DEP, "".join(deps)) + registration.get("app", ""))
    android = "--platforms=@tfcarve//rules/platforms:android_arm64"
    query = "deps(@bazel_tools//tools/cpp:current_cc_toolchain, 1)"
    try:
        # A server that runs does not notice another order of the same modules.
        app.bazel("shutdown")
        done = app.bazel("cquery", android, query)
    finally:
        module.write_text(own)
    assert done.returncode == 0, done.stderr
    found = [line.split()[0] for line in done.stdout.splitlines() if ":cc" in line.split()[0]]
    assert len(found) == 1 and found[0].endswith(toolchain)


# Runs a command in a network namespace that has only the loopback device, over which Bazel's client reaches its server.
_WITHOUT_NETWORK = """
import fcntl, os, socket, struct, sys
SIOCSIFFLAGS, IFF_UP, IFF_RUNNING = 0x8914, 0x1, 0x40
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
    fcntl.ioctl(made, SIOCSIFFLAGS, struct.pack("16sH14s", b"lo", IFF_UP | IFF_RUNNING, b""))
os.execvp(sys.argv[1], sys.argv[1:])
"""


def _without_network(
    words: Sequence[str | Path], folder: Path
) -> "subprocess.CompletedProcess[str]":
    start = ["unshare", "--map-root-user", "--net", sys.executable, "-c", _WITHOUT_NETWORK]
    return subprocess.run([*start, *words], cwd=folder, capture_output=True, text=True, check=False)


def test_no_network_after_the_first_build(app: App, tmp_path: Path) -> None:
    """Another output base fetches all repositories again: sources, Python packages and modules come from caches."""
    words = ("build", "@tfcarve_nsync//:nsync", "@tfcarve//tools:tfcarve")
    assert app.bazel(*words).returncode == 0
    # The control: no address outside is reachable.
    connect = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
    assert "unreachable" in _without_network([sys.executable, "-c", connect], tmp_path).stderr
    user_root = f"--output_user_root={tmp_path / 'out'}"
    done = _without_network([ROOT / "bazelw", user_root, "--batch", *words], app.folder)
    assert done.returncode == 0, done.stderr


def test_another_bazel_in_the_workspace(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "MODULE.bazel").write_text('module(name = "slow")\n')
    rule = 'genrule(name = "slow", outs = ["out"], cmd = "touch {0}; while [ ! -e {1} ]; do sleep 0.1; done; touch $@"{2})'
    started, may_end = tmp_path / "started", tmp_path / "may_end"
    (tmp_path / "BUILD").write_text(rule.format(started, may_end, ', tags = ["local", "no-cache"]'))
    bazelw = ROOT / "bazelw"
    first = subprocess.Popen([bazelw, "build", "//:slow"], cwd=tmp_path)
    while not started.exists():
        assert first.poll() is None, "the first build ended"
        time.sleep(0.1)
    with (tmp_path / "lock").open("w") as lock:
        workspace = Workspace(tmp_path, bazelw, lock.fileno())
        capfd.readouterr()
        second = subprocess.Popen(["sh", "-c", f"sleep 2; touch {may_end}"])
        assert workspace.bazel(["info", "workspace"]).returncode == 0
        second.wait()
        assert f"waiting for another Bazel that runs in {tmp_path}" in capfd.readouterr().err
        assert first.wait() == 0
        # The control: nobody else runs Bazel there.
        assert workspace.bazel(["clean", "--expunge"]).returncode == 0
        assert "waiting for" not in capfd.readouterr().err
