"""A built library: its files, running models in it, comparing outputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from demo.cached_models import CachedModel, key
from demo.library import Library, gzip_size, largest_difference, run, run_once
from demo.nested import NestedError

FILES = [
    Path("x/libtensorflow-core.a"),
    Path("x/libtensorflow-core.so"),
    Path("y/run_model"),
    Path("y/benchmark_model"),
]


def test_files_are_found_by_name() -> None:
    library = Library.among("linux_x86_64", FILES)
    found = (library.static, library.shared, library.runner, library.benchmark)
    assert found == tuple(FILES)


def test_missing_file_is_named() -> None:
    with pytest.raises(
        NestedError,
        match=r"linux_x86_64 has no output 'run_model'; it has: libtensorflow-core\.a, ",
    ):
        Library.among("linux_x86_64", FILES[:2])


def test_missing_emulator_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    model = CachedModel(Path("m"), Path("i"), Path("o"))
    with pytest.raises(NestedError, match="apt-get install qemu-user-static"):
        run(Library.among("linux_arm64", FILES), model)


def test_failed_run(tmp_path: Path) -> None:
    runner = tmp_path / "run_model"
    runner.write_text("#!/bin/sh\necho no such op >&2\nexit 1\n")
    runner.chmod(0o755)
    library = Library("linux_x86_64", *FILES[:2], runner, FILES[3])
    answer = run(library, CachedModel(Path("m"), Path("i"), Path("o")))
    assert (answer.status, answer.message, answer.output) == (1, "no such op", None)


def test_run_once_caches_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(
        "TFCARVE_CPU", "baseline"
    )  # an output of it would be cached as that of the fastest
    np.save(tmp_path / "answer.npy", np.ones(3, np.float32))
    array = tmp_path / "in.npy"
    array.write_bytes(b"1")
    runner = tmp_path / "run_model"
    calls = tmp_path / "calls"
    runner.write_text(
        f"#!/bin/sh\necho x$TFCARVE_CPU >> {calls}\n"
        f'for word in "$@"; do case $word in --output=*) '
        f"cp {tmp_path}/answer.npy ${{word#--output=output=}} ;; esac; done\n"
    )
    runner.chmod(0o755)
    library, model = Library("linux_x86_64", *[runner] * 4), CachedModel(array, array, array)
    first, second = run_once(library, model), run_once(library, model)
    assert [cached for _, cached in (first, second)] == [False, True]
    assert all(a.output is not None and a.output.tolist() == [1, 1, 1] for a, _ in (first, second))
    array.write_bytes(b"2")
    assert not run_once(library, model)[1]
    assert [run_once(library, model, "avx2")[1] for _ in range(2)] == [False, True]
    assert calls.read_text() == "x\nx\nxavx2\n"


@pytest.mark.parametrize(
    ("actual", "expected", "difference"),
    [
        ([1.0, 2.0], [1.0, 2.5], 0.5),
        ([], [], 0.0),
        ([1.0], [float("nan")], float("inf")),
        ([1.0], [1.0, 1.0], float("inf")),
    ],
)
def test_largest_difference(actual: list[float], expected: list[float], difference: float) -> None:
    arrays = np.array(actual, np.float32), np.array(expected, np.float32)
    assert largest_difference(*arrays) == difference


def test_difference_of_types() -> None:
    assert largest_difference(np.zeros(1, np.float32), np.zeros(1, np.float64)) == float("inf")


def test_gzip_size_is_stable(tmp_path: Path) -> None:
    file = tmp_path / "zeros"
    file.write_bytes(bytes(10_000))
    assert gzip_size(file) == gzip_size(file) < 100


def test_key_of_models() -> None:
    assert key([b"a", b"b"], ["1"]) == key([b"a", b"b"], ["1"])
    assert len({key([b"a", b"b"], ["1"]), key([b"ab"], ["1"]), key([b"a", b"b"], ["2"])}) == 3
