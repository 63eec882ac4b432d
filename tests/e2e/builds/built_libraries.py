"""The app's library for a platform, as used by other build systems."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from built import published
from demo.library import EMULATORS
from runtime.include import c_api_abi
from tfcarve.app.workspace import Workspace

COMPILERS: Mapping[str, str] = {
    "linux_arm64": "aarch64-linux-gnu-g++",
    "linux_armv7": "arm-linux-gnueabihf-g++",
    "linux_x86_64": "g++",
}
# The platforms of a test. The tests for linux_armv7 are targets of their own, which run by name.
PLATFORMS = tuple(os.environ.get("TESTED_PLATFORMS", "linux_arm64 linux_x86_64").split())
_TARGET, _LIBRARY = "//:release", "libtensorflow-core.a"
# The group of tests/built/groups.py, and the target, of platforms whose libraries the group `app` does not have.
_PUBLISHED = {"linux_armv7": ("app_armv7", "//:release_armv7")}
# The sources of the app.
APP = Path(os.environ.get("RUNFILES_DIR", "")) / "_main/tests/e2e/bzlmod"
_MODEL = "tiny.pb"


@dataclass(frozen=True)
class Release:
    """A platform's folder of tf_multi_platform_library, and the app's sources."""

    platform: str
    app: Path
    library: Path

    @property
    def compiler(self) -> str:
        """The C++ compiler for the platform."""
        return COMPILERS[self.platform]

    def program(self, source: str, output: Path, *flags: str) -> Path:
        """Compiles a source of the app and links it."""
        include = f"-I{self.library / 'include'}"
        command = [self.compiler, "-std=c++17", include, str(self.app / source)]
        checked([*command, f"-L{self.library}", *flags, "-o", str(output)])
        return output

    def flags(self) -> list[str]:
        """The flags of link_flags.txt."""
        return (self.library / "link_flags.txt").read_text(encoding="utf-8").split()

    def c_functions(self) -> set[str]:
        """The functions that the header of the C interface declares."""
        return c_api_abi.functions(self.library / "include" / "tfcarve_c_api.h")

    def run(self, program: Path, *arguments: str | Path) -> str:
        """Runs a program, under qemu if necessary; returns its output."""
        return checked([*EMULATORS[self.platform], str(program), *map(str, arguments)])

    def run_model(self, program: Path) -> str:
        """Runs a program on the app's model."""
        return self.run(program, self.app / _MODEL)

    def kernels(self, program: Path) -> int:
        """The number of kernels that a program of count_kernels.cc reports."""
        return int(self.run(program))


def checked(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Runs a command that must succeed; returns its output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        check=False,
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def built(workspace: Workspace, platform: str, target: str = _TARGET) -> Release:
    """Builds a tf_multi_platform_library for one platform; by default, the app's."""
    files = workspace.build([target], [f"--output_groups={platform}"]).named(target, platform)
    return Release(platform, workspace.folder, files[_LIBRARY].parent)


def of_app(platform: str) -> Release:
    """Returns the app's library for a platform, which //tests/built builds."""
    name, target = _PUBLISHED.get(platform, ("app", _TARGET))
    files = published.of(name).named(target, platform)
    return Release(platform, APP, files[_LIBRARY].parent)
