"""`tfcarve check-apk`: packages with libraries that clang and lld build."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from test_library import NAME, linked

from tfcarve.cli import main
from tfcarve.package import apk

_PAGE = "-Wl,-z,max-page-size=16384"
_STRIPPED = "-Wl,--strip-all"
_HEADER = 30  # bytes of a local header without its name


def _packed(path: Path, files: Mapping[str, bytes], align: int = apk.PAGE_SIZE) -> Path:
    """Writes a package whose members are stored at multiples of `align` bytes; 0: compressed."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            if align:
                start = archive.fp.tell() + _HEADER + len(name)  # type: ignore[union-attr]
                entry.extra = bytes(-start % align)
            else:
                entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return path


def _library(folder: Path, abi: str, *flags: str, source: str = "") -> bytes:
    return linked(folder, abi, [_PAGE, _STRIPPED, *flags], *([source] if source else []))


def _rows(
    package: Path, capsys: pytest.CaptureFixture[str], status: int = 0
) -> Sequence[dict[str, str]]:
    assert main(["check-apk", str(package), "--json"]) == status
    rows: Sequence[dict[str, str]] = json.loads(capsys.readouterr().out)
    return rows


@pytest.fixture(name="arm64", scope="module")
def _arm64(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return _library(tmp_path_factory.mktemp("arm64"), "arm64-v8a")


@pytest.mark.parametrize(
    ("package", "path"),
    [
        ("app.apk", f"lib/arm64-v8a/{NAME}"),
        ("app.aab", f"base/lib/arm64-v8a/{NAME}"),
        ("lib.aar", f"jni/arm64-v8a/{NAME}"),
    ],
)
def test_a_good_package(
    package: str, path: str, arm64: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {"classes.dex": b"dex", "assets/lib/x86/lib.so": b"not a library of the app"}
    (row,) = _rows(_packed(tmp_path / package, {**other, path: arm64}), capsys)
    assert row == {
        "abi": "arm64-v8a",
        "library": NAME,
        "bytes": f"{len(arm64):,}",
        "page": "16 KB",
        "in the package": "aligned",
        "stripped": "yes",
        "copies of": "-",
    }


def test_compressed_libraries_need_no_alignment(
    arm64: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = _packed(tmp_path / "app.apk", {f"lib/arm64-v8a/{NAME}": arm64}, align=0)
    assert _rows(package, capsys)[0]["in the package"] == "compressed"


def _problems(package: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["check-apk", str(package)]) == 1
    return capsys.readouterr().err


def test_a_library_that_is_not_aligned_in_an_app(
    arm64: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"lib/arm64-v8a/{NAME}": arm64}
    found = _problems(_packed(tmp_path / "app.apk", files, align=4096 + 8192), capsys)
    assert "stored at no multiple of 16 KB: run zipalign -P 16" in found
    # The app's own build aligns the libraries of an AAR.
    files = {f"jni/arm64-v8a/{NAME}": arm64}
    assert main(["check-apk", str(_packed(tmp_path / "lib.aar", files, align=4096 + 8192))]) == 0


def test_small_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = "-Wl,-z,max-page-size=4096"
    libraries = {abi: _library(tmp_path, abi, small) for abi in ("arm64-v8a", "armeabi-v7a")}
    files = {f"lib/{abi}/{NAME}": data for abi, data in libraries.items()}
    found = _problems(_packed(tmp_path / "app.apk", files), capsys)
    assert "segments are aligned to 4096 bytes, so devices with 16 KB pages" in found
    assert f"    in lib/arm64-v8a/{NAME}\n" in found
    # No device with 32 bits has such pages.
    assert "armeabi-v7a" not in found


def test_other_abis(arm64: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {f"lib/x86_64/{NAME}": arm64, f"lib/mips/{NAME}": arm64}
    found = _problems(_packed(tmp_path / "app.apk", files), capsys)
    assert "a library for aarch64 (64 bits) is in the folder of x86_64" in found
    assert "mips is not an ABI of Android" in found
    assert f"    in lib/mips/{NAME}\n" in found


def test_a_library_that_one_abi_lacks(
    arm64: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x86 = _library(tmp_path, "x86_64")
    files = {
        "lib/arm64-v8a/libone.so": arm64,
        "lib/arm64-v8a/libtwo.so": arm64,
        "lib/x86_64/libone.so": x86,
    }
    found = _problems(_packed(tmp_path / "app.apk", files), capsys)
    assert "libtwo.so: is there for arm64-v8a, but not for x86_64" in found


def test_what_makes_a_package_large(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Libraries with the texts that copies of libc++abi and protobuf have; the first also has its symbols."""
    texts = 'extern "C" __attribute__((visibility("default"))) const char tfcarve_text[] = {};'
    both = _library(tmp_path, "arm64-v8a", source=texts.format('"libc++abi: google/protobuf/a.cc"'))
    unstripped = linked(tmp_path, "arm64-v8a", [_PAGE], texts.format('"libc++abi: "'))
    files = {"lib/arm64-v8a/libone.so": unstripped, "lib/arm64-v8a/libtwo.so": both}
    assert main(["check-apk", str(_packed(tmp_path / "app.apk", files))]) == 0
    found = capsys.readouterr().err
    assert "lib/arm64-v8a/libone.so: is not stripped" in found
    assert "libtwo.so: is not" not in found
    assert "arm64-v8a: libone.so, libtwo.so contain a copy of libc++ each" in found
    assert "protobuf" not in found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an APK, AAB or AAR, or damaged"),
        (b"PK\x03\x04" + bytes(100), "not an APK, AAB or AAR, or damaged"),
    ],
)
def test_other_files(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.apk").write_bytes(content)
    assert main(["check-apk", str(tmp_path / "app.apk")]) == 2
    assert message in capsys.readouterr().err


def test_packages_without_libraries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-apk", str(_packed(tmp_path / "app.apk", {"classes.dex": b"dex"}))]) == 2
    assert "has no native library" in capsys.readouterr().err
    assert main(["check-apk", str(tmp_path / "gone.apk")]) == 2
    assert "gone.apk: cannot be read: No such file" in capsys.readouterr().err
    files = {f"lib/x86/{NAME}": b"text"}
    assert main(["check-apk", str(_packed(tmp_path / "text.apk", files))]) == 2
    assert "text.apk: lib/x86/libt.so: not a complete ELF file" in capsys.readouterr().err


def test_damaged_packages(arm64: bytes, tmp_path: Path) -> None:
    """Each byte of the directory and of a header may be wrong: that gives a message, or has no effect."""
    package = _packed(tmp_path / "app.apk", {f"lib/arm64-v8a/{NAME}": arm64[:3000]}, align=0)
    data = package.read_bytes()
    for place in [*range(60), *range(len(data) - 130, len(data))]:
        changed = bytearray(data)
        changed[place] ^= 0xFF
        package.write_bytes(changed)
        assert main(["check-apk", str(package)]) in (0, 1, 2)


def test_a_bomb(arm64: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = _packed(tmp_path / "app.apk", {f"lib/arm64-v8a/{NAME}": arm64}, align=0)
    data = package.read_bytes()
    entry = data.rindex(b"PK\x01\x02")
    size = (2**32 - 2).to_bytes(4, "little")
    package.write_bytes(data[: entry + 24] + size + data[entry + 28 :])
    assert main(["check-apk", str(package)]) == 2
    assert "claims 4,294,967,294 bytes" in capsys.readouterr().err
