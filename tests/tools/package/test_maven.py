"""Tests of Maven repositories."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tfcarve.cli import main
from tfcarve.errors import InvalidInput
from tfcarve.package import maven

_NAMESPACE = {"m": "http://maven.apache.org/POM/4.0.0"}
_FOLDER = "org/example/tensor-flow"


def _repository(version: str = "1.0", *others: str) -> dict[str, bytes]:
    where = maven.coordinates(f"org.example:tensor-flow:{version}")
    return maven.repository(where, "aar", "A & B", {".aar": b"a"}, others)


def test_layout() -> None:
    files = _repository()
    stem = f"{_FOLDER}/1.0/tensor-flow-1.0"
    without_sums = {
        path for path in files if not path.endswith(("md5", "sha1", "sha256", "sha512"))
    }
    assert without_sums == {f"{_FOLDER}/maven-metadata.xml", f"{stem}.pom", f"{stem}.aar"}
    for path in without_sums:
        assert files[f"{path}.sha1"].decode() == hashlib.sha1(files[path]).hexdigest()
        assert files[f"{path}.sha256"].decode() == hashlib.sha256(files[path]).hexdigest()
    assert len(files) == 5 * len(without_sums)


def test_pom() -> None:
    pom = ElementTree.fromstring(_repository()[f"{_FOLDER}/1.0/tensor-flow-1.0.pom"])
    found = {
        name: pom.findtext(f"m:{name}", namespaces=_NAMESPACE)
        for name in ("groupId", "artifactId", "version", "packaging", "description")
    }
    assert found == {
        "groupId": "org.example",
        "artifactId": "tensor-flow",
        "version": "1.0",
        "packaging": "aar",
        "description": "A & B",
    }


def test_versions() -> None:
    metadata = _repository("1.1", "1.0", "1.1", "0.9")[f"{_FOLDER}/maven-metadata.xml"]
    root = ElementTree.fromstring(metadata)
    assert [version.text for version in root.iter("version")] == ["0.9", "1.0", "1.1"]
    assert root.findtext("versioning/release") == "1.1"


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a:b",
        "a:b:c:d",
        "a:b:",
        "../x:b:1",
        "a:..:1",
        "a:b:..",
        "a..b:c:1",
        "a:b/c:1",
        "a:b:1.0-SNAPSHOT",
        "a:<b>:1",
        "a:b:1\n",
        "é:b:1",
    ],
)
def test_wrong_coordinates(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not GROUP:ARTIFACT:VERSION"):
        maven.coordinates(text)


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    aar, source, output = (tmp_path / name for name in ("a.aar", "Run.java", "maven"))
    with zipfile.ZipFile(aar, "w") as archive:
        archive.writestr("AndroidManifest.xml", "")
    source.write_text("/** x */\npackage org.t;\nclass Run {}\n", encoding="utf-8")
    common = ("maven", str(aar), f"--source={source}", f"-o={output}")
    for version in ("1", "2"):
        assert main([*common, f"--coordinates=org.example:t:{version}"]) == 0
    assert b"<version>1</version>" in (output / "org/example/t/maven-metadata.xml").read_bytes()
    jar = (output / "org/example/t/2/t-2-sources.jar").read_bytes()
    assert zipfile.ZipFile(io.BytesIO(jar)).namelist() == ["org/t/Run.java"]
    # Nothing is written if something is wrong.
    for file, message in (
        (aar, "is not an AAR"),
        (source, "does not state its package"),
    ):
        content = file.read_bytes()
        file.write_bytes(b"x")
        assert main([*common, "--coordinates=org.example:t:3"]) == 2
        assert message in capsys.readouterr().err
        file.write_bytes(content)
    assert main([*common, f"--source={source}", "--coordinates=org.example:t:3"]) == 2
    assert "org/t/Run.java is there twice" in capsys.readouterr().err
    assert not (output / "org/example/t/3").exists()
