"""What bazelw installs: as root, missing packages, announced first and unless declined; otherwise nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap import system_packages
from bootstrap.console import BootstrapError

BAZELW = Path(os.environ["RUNFILES_DIR"]) / "_main/bazelw"
VERSION = (BAZELW.parent / ".bazelversion").read_text().strip()
# What bazelw itself calls.
SHELL_TOOLS = ("cat", "cksum", "cut", "df", "dirname", "env", "getent", "mkdir", "readlink", "sh")
HOW_TO_DECLINE = "(to decline: bazelw --no-install, or TFCARVE_NO_INSTALL=1)"


class Machine:
    """A folder of programs that is the whole PATH, with an apt-get that logs its calls."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "apt.log"
        for tool in SHELL_TOOLS:
            self.link(tool, shutil.which(tool))
        self.write(
            "bazel",
            f'if [ "$1" = --version ]; then echo "bazel {VERSION}"; exit; fi\n'
            'echo "ran $2 no_install=${TFCARVE_NO_INSTALL:-}"\n',
        )

    def link(self, name: str, target: str | None) -> None:
        assert target, name
        (self.bin / name).symlink_to(target)

    def write(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}")
        path.chmod(0o755)

    def have_user(self, number: int) -> None:
        """Sets the user ID that the shell part sees."""
        self.write("id", f"echo {number}\n")

    def have_apt(self, script: str) -> None:
        """Adds an apt-get, which fails if it can read an answer from standard input."""
        self.write(
            "apt-get",
            'if read -r answer; then echo "standard input is open" >&2; exit 9; fi\n'
            f'echo "$DEBIAN_FRONTEND: $*" >>{self.log}\n{script}',
        )

    def have_all_packages(self) -> None:
        """Adds every program of the list, so that only python3 can be missing."""
        for program in system_packages.PROGRAMS:
            if program != "python3":
                self.write(program, "")

    def apt_calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def bazelw(
        self, *arguments: str, no_install: str | None = None
    ) -> "subprocess.CompletedProcess[str]":
        environment = {"PATH": str(self.bin), "HOME": str(self.bin.parent)}
        if no_install is not None:
            environment["TFCARVE_NO_INSTALL"] = no_install
        return subprocess.run(
            [self.bin / "sh", BAZELW.resolve(), *arguments],
            env=environment,
            input="yes\n",
            capture_output=True,
            text=True,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def _installing_python(machine: Machine) -> str:
    """Returns the part of apt-get that installs python3."""
    return f"case $2 in install) ln -s {sys.executable} {machine.bin}/python3 2>/dev/null;; esac\n"


def test_installing_python_is_announced(machine: Machine) -> None:
    machine.have_user(0)
    machine.have_apt('echo "apt-get starts" >&2\n' + _installing_python(machine))
    machine.link("ln", shutil.which("ln"))
    machine.have_all_packages()
    done = machine.bazelw("info")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert lines[0] == f"bazelw: installing with apt-get: python3 {HOW_TO_DECLINE}"
    assert lines[1] == "apt-get starts"
    assert machine.apt_calls()[:2] == [
        "noninteractive: -qq update",
        "noninteractive: -qq install -y --no-install-recommends python3",
    ]
    assert done.stdout == "ran info no_install=\n"


@pytest.mark.parametrize(
    ("user", "arguments", "no_install", "command"),
    [
        (0, ["--no-install", "info"], None, "apt-get install python3"),
        (0, ["info"], "1", "apt-get install python3"),
        (1000, ["info"], None, "sudo apt-get install python3"),
    ],
    ids=["declined by argument", "declined by environment", "not root"],
)
def test_command_for_python_is_printed_instead(
    machine: Machine, user: int, arguments: list[str], no_install: str | None, command: str
) -> None:
    machine.have_user(user)
    machine.have_apt("")
    done = machine.bazelw(*arguments, no_install=no_install)
    assert done.returncode == 2
    assert done.stderr == f"bazelw: python3 is not installed; to install it: {command}\n"
    assert machine.apt_calls() == []


def test_python_without_apt(machine: Machine) -> None:
    machine.have_user(0)
    done = machine.bazelw("info")
    assert done.returncode == 2
    assert done.stderr == "bazelw: python3 is not on PATH: install Python 3.11 or later\n"


def test_apt_that_fails_to_install_python(machine: Machine) -> None:
    machine.have_user(0)
    machine.have_apt("exit 100\n")
    done = machine.bazelw("info")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "bazelw: apt-get could not install python3"
    assert len(machine.apt_calls()) == 1, "after a failed update nothing is installed"


def test_no_install_is_not_passed_to_bazel(machine: Machine) -> None:
    """It sets the variable for nested calls. After another argument it is Bazel's."""
    machine.have_user(0)
    machine.have_apt("")
    machine.link("python3", sys.executable)
    done = machine.bazelw("--no-install", "info")
    assert done.stdout == "ran info no_install=1\n", done.stderr
    done = machine.bazelw("--bazelrc=none", "--no-install", no_install="1")
    assert done.stdout == "ran --bazelrc=none no_install=1\n", done.stderr
    assert machine.apt_calls() == []


def test_packages_are_checked_with_a_cached_choice(machine: Machine) -> None:
    """A machine that lost a package gets it again, unless root declines."""
    machine.have_user(0)
    machine.link("python3", sys.executable)
    machine.have_all_packages()
    assert machine.bazelw("info", no_install="1").returncode == 0
    machine.have_apt("")
    assert machine.bazelw("info").stderr == ""
    assert machine.apt_calls() == []
    (machine.bin / "cmake").unlink()
    assert machine.bazelw("--no-install", "info").stderr == ""
    assert machine.apt_calls() == []
    if os.getuid() == 0:  # Python sees the real user.
        done = machine.bazelw("info")
        assert f"tfcarve: installing with apt-get: cmake {HOW_TO_DECLINE}" in done.stderr
        assert machine.apt_calls() == [
            "noninteractive: -qq update",
            "noninteractive: -qq install -y --no-install-recommends cmake",
        ]
        machine.write("cmake", "")
        machine.write("pkg-config", '[ "$*" != "--exists libsodium" ]\n')
        assert machine.bazelw("info").stderr.endswith(f": libsodium-dev {HOW_TO_DECLINE}\n")


@pytest.fixture
def lacking(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A machine without g++ and make, as the Python part sees it."""
    machine.have_all_packages()
    machine.write("python3", "")
    for program in ("g++", "make"):
        (machine.bin / program).unlink()
    machine.have_apt('echo "E: no such package" >&2; [ "$2" = update ] || [ ! -e fail ]\n')
    monkeypatch.setenv("PATH", str(machine.bin))
    monkeypatch.delenv("TFCARVE_NO_INSTALL", raising=False)
    monkeypatch.setattr(system_packages, "MODULES", {})
    monkeypatch.chdir(machine.bin.parent)
    return machine


def test_installing_packages_is_announced(
    lacking: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    system_packages.provide()
    assert capsys.readouterr().err == (
        f"tfcarve: installing with apt-get: g++ make {HOW_TO_DECLINE}\n"
    )
    assert lacking.apt_calls() == [
        "noninteractive: -qq update",
        "noninteractive: -qq install -y --no-install-recommends g++ make",
    ]


def test_libraries_are_installed_if_pkg_config_does_not_know_them(
    lacking: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    for program in ("g++", "make"):
        lacking.write(program, "")
    lacking.write("pkg-config", "exit 1\n")
    system_packages.provide()
    assert f"apt-get: libsodium-dev {HOW_TO_DECLINE}" in capsys.readouterr().err
    (lacking.bin / "pkg-config").unlink()
    system_packages.provide()
    assert f"apt-get: pkgconf libsodium-dev {HOW_TO_DECLINE}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("user", "declined", "command"),
    [
        (1000, "", "sudo apt-get install g++ make"),
        (1000, "1", "sudo apt-get install g++ make"),
        (0, "1", "apt-get install g++ make"),
    ],
)
def test_the_exact_command_is_printed_instead(
    lacking: Machine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    user: int,
    declined: str,
    command: str,
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: user)
    monkeypatch.setenv("TFCARVE_NO_INSTALL", declined)
    system_packages.provide()
    assert capsys.readouterr().err == (
        "tfcarve: some builds and tests need packages that are not installed; "
        f"to install them: {command}\n"
    )
    assert lacking.apt_calls() == []


def test_no_message_if_nothing_is_missing(
    lacking: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    for program in ("g++", "make"):
        lacking.write(program, "")
    system_packages.provide()
    assert capsys.readouterr().err == ""
    assert lacking.apt_calls() == []


def test_failed_install_says_how_to_decline(
    lacking: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 0)
    Path("fail").touch()
    with pytest.raises(BootstrapError) as failed:
        system_packages.provide()
    message = str(failed.value)
    assert message.endswith(f"g++ make failed {HOW_TO_DECLINE}: E: no such package")
