"""The pinned TensorFlow's source tree, fetched once and kept in the user's cache directory."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tfcarve import files
from tfcarve.errors import InvalidInput
from tfcarve.releases import known

_DONE = "tfcarve_source.json"


def _places() -> tuple[Path, Path]:
    """Returns the folder that contains the package `bootstrap`, and pins.json of the default release."""
    package = Path(__file__).parent
    installed = package / "_pinned"
    tools = installed if installed.is_dir() else package.parent
    return tools, known.release().file("pins.json")


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


def _upstream(
    tools: Path, sources: Path, tree: Path, pin: dict[str, Any], folder: Path
) -> tuple[int, str]:
    if "upstream" not in pin:
        return 1, "upstream: no archive is pinned"
    url = str(pin["upstream"]["urls"][0])
    from urllib.request import urlopen  # loaded only where something is downloaded

    archive = folder / url.rpartition("/")[2]
    try:
        with urlopen(url, timeout=30) as stream, archive.open("wb") as out:
            shutil.copyfileobj(stream, out)
    except OSError as error:
        return 1, f"upstream: {url}: {error}"
    return _fetch(tools, sources, tree, "--archive", str(archive))


def _get(tools: Path, sources: Path, tree: Path, pin: dict[str, Any], folder: Path) -> None:
    print(f"tfcarve: getting the sources of TensorFlow {pin['version']}, once", file=sys.stderr)
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
            f"could not get the sources of TensorFlow {pin['version']}:\n{tried}\n"
            "give a source tree with --tensorflow DIR, or the archive's folder as TFCARVE_DISTDIR"
        )


def tree() -> Path:
    """Returns the folder with the pinned TensorFlow's sources, getting them where they are not there yet.

    Raises InvalidInput, with each way that was tried, where they can't be had.
    """
    tools, sources = _places()
    if not sources.is_file() or not (tools / "bootstrap").is_dir():
        raise InvalidInput(
            "no TensorFlow source tree: give --tensorflow DIR or set TFCARVE_TENSORFLOW"
        )
    pin = json.loads(sources.read_bytes())["tensorflow"]
    cache = files.cache_directory() / "trees"
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / f"tensorflow-{pin['version']}"
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
