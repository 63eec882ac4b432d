"""The source tree of a release, fetched once and kept in the user's cache directory."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from tfcarve import files, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.module_root import module_root
from tfcarve.releases.release import Release

_DONE = "tfcarve_source.json"


class _Upstream(msgspec.Struct, frozen=True):
    """The archive that TensorFlow publishes; other keys of pins.json are read by the package `bootstrap`."""

    urls: tuple[str, ...]


class _Pin(msgspec.Struct, frozen=True):
    version: str
    upstream: _Upstream | None = None


class _Pins(msgspec.Struct, frozen=True):
    tensorflow: _Pin


def _fetch(tools: Path, sources: Path, tree: Path, *arguments: str) -> tuple[int, str]:
    command = [
        sys.executable,
        "-m",
        "bootstrap.fetch_source",
        "--pins",
        str(sources),
        "--name",
        "tensorflow",
        "--tree",
        str(tree),
    ]
    path = os.pathsep.join([str(tools), str(Path(__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr.strip()


def _upstream(tools: Path, sources: Path, tree: Path, pin: _Pin, folder: Path) -> tuple[int, str]:
    if not pin.upstream or not pin.upstream.urls:
        return 1, "upstream: no archive is pinned"
    url = pin.upstream.urls[0]
    from urllib.request import urlopen  # loaded only where something is downloaded

    archive = folder / url.rpartition("/")[2]
    try:
        with urlopen(url, timeout=30) as stream, archive.open("wb") as out:
            shutil.copyfileobj(stream, out)
    except OSError as error:
        return 1, f"upstream: {url}: {error}"
    return _fetch(tools, sources, tree, "--archive", str(archive))


def _get(tools: Path, sources: Path, tree: Path, pin: _Pin, folder: Path) -> None:
    print(f"tfcarve: getting the sources of TensorFlow {pin.version}, once", file=sys.stderr)
    failures = []
    status, reason = _fetch(tools, sources, tree, "--from", "local")
    if status == 1:
        failures.append(reason)
        status, reason = _upstream(tools, sources, tree, pin, folder)
    if status == 1:
        failures.append(reason)
        status, reason = _fetch(tools, sources, tree, "--from", "clients")
    if status:
        tried = "\n".join(f"  {line}" for text in [*failures, reason] for line in text.splitlines())
        raise InvalidInput(
            f"could not get the sources of TensorFlow {pin.version}:\n{tried}\n"
            "pass a source tree with --tensorflow DIR, or set TFCARVE_DISTDIR to the archive's folder"
        )


def tree(release: Release) -> Path:
    """Returns the folder with the sources of a release, downloading them if they are not cached.

    Raises InvalidInput, listing each attempt, if the sources cannot be fetched.
    """
    tools, sources = module_root() / "tools", release.file("pins.json")
    if not sources.is_file() or not (tools / "bootstrap").is_dir():
        raise InvalidInput(
            "no TensorFlow source tree: pass --tensorflow DIR or set TFCARVE_TENSORFLOW"
        )
    pin = json_codec.decode(sources.read_bytes(), _Pins, str(sources)).tensorflow
    cache = files.cache_directory() / "trees"
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / f"tensorflow-{pin.version}"
    if (place / _DONE).is_file():
        return place
    with (cache / f".{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / _DONE).is_file():
            with tempfile.TemporaryDirectory(dir=cache) as scratch:
                fresh = Path(scratch, "tree")
                fresh.mkdir()
                _get(tools, sources, fresh, pin, Path(scratch))
                shutil.rmtree(place, ignore_errors=True)
                fresh.rename(place)
    return place
