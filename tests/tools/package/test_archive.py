"""Tests of SBOMs, and of archives with them."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tfcarve.cli import main
from tfcarve.package import components
from tfcarve.releases import known

_PLATFORM = "linux_x86_64"
_STEM = f"tensorflow-core-1.0-{_PLATFORM}"


def _entry(part: str, file: str, symbol: str = "") -> dict[str, Any]:
    return {"part": part, "file": file, "class": "", "symbol": symbol, "bytes": 10}


_ENTRIES = (
    _entry("core", "core: device"),
    _entry("third party", "abseil: absl_base_1"),
    _entry("third party", "libjpeg/jcapimin.c"),
    _entry("third party", "protobuf_lite: arena", "google::protobuf::Arena::Init()"),
)


@pytest.fixture(name="inputs")
def _inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("lib.so").write_bytes(b"library")
    Path("include").mkdir()
    Path("include/c_api.h").write_bytes(b"header")
    for name in ("LICENSE", "OWN", "MODEL"):
        Path(name).write_text(name, encoding="utf-8")
    _write_report(_ENTRIES)
    pins = json.loads(known.release("2.14").file("pins.json").read_bytes())
    for name, sha256 in (("abseil", pins["abseil"]["upstream"]["sha256"]), ("protobuf", "0" * 64)):
        Path(name).mkdir()
        facts = {"name": name, "version": "1.2", "archive": f"{name}.tar.gz", "sha256": sha256}
        Path(name, "tfcarve_source.json").write_text(json.dumps(facts), encoding="utf-8")
    return tmp_path


def _write_report(entries: Sequence[dict[str, Any]]) -> None:
    report = {
        "version": 1,
        "platform": _PLATFORM,
        "sizes": {"stripped": 10 * len(entries), "text": 10, "gzip": 10},
        "attributed": 10 * len(entries),
        "models": [],
        "kernels": [],
        "definitions": [],
        "entries": sorted(entries, key=lambda entry: (entry["part"], entry["file"])),
    }
    Path("sizes.json").write_text(json.dumps(report), encoding="utf-8")


def _listed(**other: str) -> int:
    """Runs `tfcarve sbom`, and returns its exit status."""
    options = {
        "report": "sizes.json",
        "own-license": "OWN",
        "release": "2.14",
        "output": "sbom.json",
        "licenses": "licenses",
    } | {name.replace("_", "-"): value for name, value in other.items()}
    origins = [
        *("abseil=LICENSE", "abseil=abseil/tfcarve_source.json", "libpng=LICENSE"),
        "protobuf=protobuf/tfcarve_source.json",
    ]
    words = [f"--{name}={value}" for name, value in options.items()]
    return main(["sbom", "lib.so", *words, *(f"--origin={word}" for word in origins)])


def _packed(*files: str, **other: str) -> int:
    """Runs `tfcarve archive`, and returns its exit status."""
    options = {"name": "tensorflow-core", "platform": _PLATFORM, "output": "out"} | other
    return main(["archive", *files, *(f"--{name}={value}" for name, value in options.items())])


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path("sbom.json").read_bytes())
    return document


@pytest.mark.usefixtures("inputs")
def test_archive() -> None:
    files = ("lib.so=lib.so", "include=include", "sbom.spdx.json=sizes.json")
    assert _packed(*files) == 0
    data = Path(f"out/{_STEM}.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = archive.getmembers()
    assert [member.name for member in members] == [
        f"{_STEM}/{name}" for name in ("include/c_api.h", "lib.so", "sbom.spdx.json")
    ]
    assert {(member.mtime, member.uid, member.mode) for member in members} == {(0, 0, 0o644)}
    sums = Path("out/SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert sums == [
        f"{hashlib.sha256(Path('out', name).read_bytes()).hexdigest()}  {name}"
        for name in (f"{_STEM}.spdx.json", f"{_STEM}.tar.gz")
    ]
    assert _packed(*files, output="again") == 0
    assert Path(f"again/{_STEM}.tar.gz").read_bytes() == data


@pytest.mark.usefixtures("inputs")
def test_sbom() -> None:
    assert _listed() == 0
    document = _document()
    packages = {
        package["SPDXID"].removeprefix("SPDXRef-"): package for package in document["packages"]
    }
    # What has objects in the library, and the headers that all libraries use.
    contained = {"abseil", "libjpeg-turbo", "protobuf", "tensorflow"}
    headers = {"eigen", "ml-dtypes"}
    assert packages.keys() == {"library", "tfcarve"} | contained | headers
    related = {
        (one["relationshipType"], one["relatedSpdxElement"].removeprefix("SPDXRef-"))
        for one in document["relationships"]
    }
    assert related == {
        ("DESCRIBES", "library"),
        ("CONTAINS", "tfcarve"),
        *(("CONTAINS", name) for name in contained),
        *(("GENERATED_FROM", name) for name in headers),
    }
    library, abseil, protobuf = (packages[name] for name in ("library", "abseil", "protobuf"))
    assert library["checksums"][0]["checksumValue"] == hashlib.sha256(b"library").hexdigest()
    assert library["licenseConcluded"] == "Apache-2.0 AND BSD-3-Clause AND IJG AND MPL-2.0 AND Zlib"
    assert abseil["versionInfo"] == "1.2"
    assert abseil["downloadLocation"].startswith("https://github.com/abseil/abseil-cpp/archive/")
    assert abseil["externalRefs"][0]["referenceLocator"].startswith("pkg:github/abseil/abseil-cpp@")
    # An archive other than upstream's.
    assert protobuf["downloadLocation"] == "NOASSERTION"
    assert protobuf["checksums"][0]["checksumValue"] == "0" * 64
    assert "cpe:2.3:a:google:protobuf:1.2:" in protobuf["externalRefs"][0]["referenceLocator"]


@pytest.mark.usefixtures("inputs")
def test_headers_that_a_library_uses() -> None:
    _write_report([*_ENTRIES, _entry("kernels", "quantize_op.cc", "gemmlowp::Multiply(int)")])
    assert _listed() == 0
    assert "SPDXRef-gemmlowp" in {package["SPDXID"] for package in _document()["packages"]}


@pytest.mark.usefixtures("inputs")
def test_licenses() -> None:
    assert _listed() == 0
    # libpng is not part of the library.
    found = sorted(str(path) for path in Path("licenses").rglob("*") if path.is_file())
    assert found == ["licenses/abseil/LICENSE", "licenses/tfcarve/LICENSE"]


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (("a.so=lib.so",), {}, "an archive requires sbom.spdx.json: pass sbom.spdx.json=FILE"),
        (("/a.so=lib.so",), {}, "with a relative path, each path once"),
        (("../a.so=lib.so",), {}, "with a relative path, each path once"),
        (("a.so=lib.so", "a.so=lib.so"), {}, "with a relative path, each path once"),
        (("a.so",), {}, "expected PATH=FILE"),
        (("a.so=gone.so",), {}, "gone.so: no such file"),
        (("a.so=lib.so",), {"name": "a/b"}, "'a/b' is not a name of a package"),
        (("a.so=lib.so",), {"version": ".."}, "'..' is not a version of a package"),
    ],
)
@pytest.mark.usefixtures("inputs")
def test_refused_archives(
    files: tuple[str, ...],
    options: dict[str, str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert _packed(*files, **options) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"report": "OWN"}, "OWN"),
        ({"release": "1.2"}, "TensorFlow 1.2 is not a release that tfcarve builds"),
        ({"own_license": "gone"}, "gone: no such file"),
        ({"origin": "abseil"}, "'abseil': expected SOURCE=FILE"),
    ],
)
@pytest.mark.usefixtures("inputs")
def test_refused_sboms(
    options: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _listed(**options) == 2
    assert message in capsys.readouterr().err
    assert not Path("sbom.json").exists()
    assert not Path("licenses").exists()


@pytest.mark.usefixtures("inputs")
def test_an_unknown_source(capsys: pytest.CaptureFixture[str]) -> None:
    _write_report([*_ENTRIES, _entry("third party", "leftpad: pad")])
    assert _listed() == 2
    assert "the library has objects of leftpad, which" in capsys.readouterr().err


@pytest.mark.parametrize("name", known.names())
def test_each_pinned_source_has_a_license(name: str) -> None:
    release = known.release(name)
    assert (
        components.facts(release).keys()
        == json.loads(release.file("pins.json").read_bytes()).keys()
    )
