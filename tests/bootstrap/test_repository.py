"""Checks of the whole repository."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

# The source files, not the links to them in the runfiles.
ROOT = (Path(os.environ["RUNFILES_DIR"]) / "_main/MODULE.bazel").resolve().parent
_PINS = ROOT / "third_party/tensorflow/releases/2.14/pins.json"

# Joined here, because this file is checked, too.
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
    )
]


def tracked_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def test_no_registry_host_is_named() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in tracked_files()
        for host in REGISTRY_HOSTS
        if host.encode() in path.read_bytes()
    ]
    assert not named


def test_module_and_workspace_have_the_same_repositories() -> None:
    module = (ROOT / "MODULE.bazel").read_text()
    functions = (ROOT / "rules/repositories.bzl").read_text()
    sources = set(json.loads(_PINS.read_text()))
    used = set(re.findall(r'^    "(tfcarve_\w+)",$', module, re.MULTILINE))
    used |= set(re.findall(r'use_repo\(\w+, "(tfcarve_\w+)"\)', module))
    releases = _PINS.parents[1].glob("*/pins.json")
    made = {f"tfcarve_{name}" for name in sources}
    made |= {f"tfcarve_tensorflow_{file.parent.name.replace('.', '_')}" for file in releases}
    made |= set(
        re.findall(r'(?:digest|cross|lld|system_tools)_repository\(\s*name = "(\w+)"', functions)
    )
    environments = (ROOT / "rules/private/python/environments.bzl").read_text()
    made |= set(re.findall(r'struct\(repository = "(\w+)"', environments))
    assert used == made
    # WORKSPACE calls the two functions that the extensions call.
    for file in ("WORKSPACE", "rules/extensions.bzl"):
        text = (ROOT / file).read_text()
        for function in ("tfcarve_repositories", "tfcarve_dev_repositories"):
            assert re.search(rf"^\s*{function}\(.*\)$", text, re.MULTILINE), (file, function)
    libraries = re.search(r"^_LIBRARIES = \[\n(.*?)\]", functions, re.MULTILINE | re.DOTALL)
    assert libraries and sorted(sources) == sorted(
        ["tensorflow", *re.findall(r'"(\w+)"', libraries[1])]
    )


def test_module_and_workspace_register_the_same_toolchains() -> None:
    found = [
        re.findall(r'register_toolchains\("([^"]+)"', (ROOT / file).read_text())
        for file in ("MODULE.bazel", "WORKSPACE")
    ]
    assert found[0] == found[1] != []


def test_nested_workspaces_are_ignored() -> None:
    ignored = (ROOT / ".bazelignore").read_text().splitlines()
    nested = {path.parent for path in tracked_files() if path.name == "MODULE.bazel"} - {ROOT}
    for folder in nested:
        assert any(folder.is_relative_to(ROOT / line) for line in ignored if line[:1] not in "#"), (
            f"{folder.relative_to(ROOT)} is a workspace: add it to .bazelignore"
        )


@pytest.mark.parametrize(
    "lock", ["tools.txt", "tensorflow.txt", "litert.txt", "protoc.txt", "dev.txt", "uv.txt"]
)
def test_locks_pin_everything_with_hashes(lock: str) -> None:
    text = (ROOT / "third_party/python" / lock).read_text().replace("\\\n", " ")
    requirements = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert requirements
    for line in requirements:
        assert re.match(r"[a-z0-9._-]+==\S+ ", line), line
        assert "--hash=sha256:" in line, line


def _rows(lock: str) -> dict[str, str]:
    """Returns the rows of a lock file with their hashes, by package."""
    rows = re.split(r"^(?=[a-z0-9])", (ROOT / "third_party/python" / lock).read_text(), flags=re.M)
    return {row.partition("==")[0]: row.strip() for row in rows if row}


@pytest.mark.parametrize(
    ("lock", "packages"),
    [
        ("tensorflow.txt", {"tensorflow-cpu", "numpy", "protobuf", *_rows("tools.txt")}),
        ("litert.txt", {"ai-edge-litert", "numpy"}),
    ],
)
def test_tests_have_the_packages_of_other_environments(lock: str, packages: set[str]) -> None:
    rows, dev = _rows(lock), _rows("dev.txt")
    assert packages <= rows.keys()
    for name, row in rows.items():
        assert dev[name] == row, f"{name}: compile {lock} with --constraints dev.txt"


def test_every_source_is_pinned_by_checksum() -> None:
    pins = json.loads(_PINS.read_text())
    for name, pin in pins.items():
        ways = [pin[way] for way in ("upstream", "debian", "npm", "wheel") if way in pin]
        assert len(ways) >= 2, name
        for way in ways:
            assert re.fullmatch(r"[0-9a-f]{64}", way["sha256"]), name


def test_dev_wheel_is_the_one_that_sources_come_from() -> None:
    pins = json.loads(_PINS.read_text())
    lock = (ROOT / "third_party/python/dev.txt").read_text()
    for name in ("eigen", "ml_dtypes"):
        assert pins[name]["wheel"]["requirement"] in lock
        assert pins[name]["wheel"]["sha256"] in lock
