"""Tests of counting instructions under qemu, with programs whose loops have a known length."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tfcarve.benchmark import emulated
from tfcarve.benchmark.task import Task
from tfcarve.errors import CheckFailed, InvalidInput

# A fake benchmark_model: the same options and report, and a loop of a million steps for each run.
_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define STATISTICS "{\"min\":0,\"median\":0,\"p95\":0,\"mean\":0,\"stddev\":0}"
int main(int argc, char** argv) {
  const char* json = NULL;
  long runs = 0;
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "--json=", 7) == 0) json = argv[i] + 7;
    if (strncmp(argv[i], "--runs=", 7) == 0) runs = 1 + atol(argv[i] + 7);
    if (strcmp(argv[i], "--output=refused") == 0) {
      fputs("benchmark_model: m.pb: no such node\n", stderr);
      return 1;
    }
    if (strcmp(argv[i], "--output=silent") == 0) return 3;
  }
  for (long i = 0; i < runs * 1000000; ++i) __asm__ volatile("");
  FILE* file = fopen(json, "w");
  fprintf(file,
          "{\"version\":1,\"model\":\"m.pb\",\"threads\":1,\"warmup\":0,\"runs\":%ld,"
          "\"traced_runs\":0,\"load_ms\":0,\"first_ms\":0,\"wall_ms\":" STATISTICS
          ",\"cpu_ms\":" STATISTICS ",\"peak_bytes\":null,\"anonymous_bytes_loaded\":null,"
          "\"anonymous_bytes\":null,\"nodes\":[],\"ops\":[]}",
          runs - 1);
  return fclose(file);
}
"""
_COMPILERS = {"aarch64": "aarch64-linux-gnu-gcc", "armv7": "arm-linux-gnueabihf-gcc"}
_TASK = Task(Path("m.pb"), (), (), ("y",), 1, 5, 20, None, 3)


def _require(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on PATH")


def _built(folder: Path, cpu: str) -> Path:
    compiler, qemu = _COMPILERS[cpu], {"aarch64": "qemu-aarch64", "armv7": "qemu-arm"}[cpu]
    _require(compiler, qemu)
    source, output = folder / "m.c", folder / "m"
    source.write_text(_PROGRAM)
    subprocess.run([compiler, "-O1", str(source), "-o", str(output)], check=True)
    return output


@pytest.mark.parametrize("cpu", _COMPILERS)
def test_counts_one_run(tmp_path: Path, cpu: str) -> None:
    counted = emulated.count(cpu, _built(tmp_path, cpu), _TASK)
    # Two to four instructions for each step, and nothing else of the process.
    per_step = counted.run / 1_000_000
    assert 2 <= round(per_step) <= 4
    assert abs(counted.run - round(per_step) * 1_000_000) < 1000
    assert counted.load_and_first_run > counted.run


def test_the_plugin_is_compiled_once(tmp_path: Path) -> None:
    _require("qemu-aarch64")
    (qemu, *_) = emulated.emulator("aarch64")
    plugin = emulated.plugin(qemu)
    before = plugin.stat().st_mtime_ns
    assert emulated.plugin(qemu) == plugin
    assert plugin.stat().st_mtime_ns == before
    assert [path.name for path in plugin.parent.iterdir()] == [plugin.name], "no partial file"


@pytest.mark.parametrize(
    ("output", "error", "message"),
    [
        ("refused", CheckFailed, "m.pb: no such node"),
        ("silent", InvalidInput, "m: ended with exit status 3"),
    ],
)
def test_failing_program(tmp_path: Path, output: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        emulated.count("aarch64", _built(tmp_path, "aarch64"), replace(_TASK, outputs=(output,)))
    assert str(caught.value).endswith(message)


def test_no_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InvalidInput, match="programs for x86_32 run neither natively nor under qemu here"
    ):
        emulated.emulator("x86_32")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidInput, match="qemu-arm is not on PATH: .* apt-get install qemu-user"):
        emulated.emulator("armv7")


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _require("qemu-aarch64")
    (qemu, *_) = emulated.emulator("aarch64")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidInput, match="no C compiler on PATH: .* apt-get install gcc"):
        emulated.plugin(qemu)


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("qemu-aarch64 version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\n", 1),
        ("qemu-arm version 8.2.2", 1),
        ("qemu-arm version 9.0.0", 2),
        ("qemu-arm version 10.0.2 (Debian 1:10.0.2+ds-2)", 2),
    ],
)
def test_api_version(output: str, version: int) -> None:
    assert emulated.api_version(output) == version


@pytest.mark.parametrize("output", ["", "qemu", "version x.1"])
def test_output_without_a_version(output: str) -> None:
    with pytest.raises(ValueError, match="^" + output):
        emulated.api_version(output)


def test_emulator_without_a_version() -> None:
    with pytest.raises(InvalidInput, match="false --version: no version"):
        emulated.plugin(shutil.which("false") or "")
