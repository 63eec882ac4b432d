"""TensorFlow's tests of kernels, on tfcarve's overrides of these kernels.

The sources are those of TensorFlow's tree. Only the headers that TensorFlow's build generates, and that of Google Benchmark,
are tfcarve's.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from demo import nested
from tfcarve.app.workspace import Workspace


class Program(NamedTuple):
    """One of TensorFlow's tests.

    Attributes:
      cases: the number of its test cases.
      calls_math: whether its kernels call tools/runtime/math.
    """

    cases: int
    calls_math: bool


_PROGRAMS = {
    "cast_op_test": Program(512, False),
    "checkpoint_callback_manager_test": Program(15, False),
    "conv_ops_test": Program(68, True),
    "depthwise_conv_ops_test": Program(4, True),
    "dequantize_op_test": Program(18, False),
    "fused_batch_norm_op_test": Program(6, True),
    "matmul_op_test": Program(8, True),
    "quantize_down_and_shrink_range_op_test": Program(1, True),
    "quantize_op_test": Program(21, False),
    "quantized_activation_ops_test": Program(2, True),
    "quantized_add_op_test": Program(6, True),
    "quantized_bias_add_op_test": Program(2, True),
    "quantized_concat_op_test": Program(9, False),
    "quantized_conv_ops_test": Program(5, True),
    "quantized_matmul_op_test": Program(6, True),
    "quantized_mul_op_test": Program(6, False),
    "quantized_pooling_ops_test": Program(2, True),
    "requantization_range_op_test": Program(1, True),
    "requantize_op_test": Program(3, True),
    "scatter_nd_op_test": Program(9, False),
    "spectrogram_op_test": Program(5, False),
    "spectrogram_test": Program(13, False),
    "transpose_util_test": Program(3, False),
}

# Tests that have the name of an overridden source, and why no program runs them.
_LEFT_OUT = {
    "bias_op_test": "has benchmarks only",
    "deep_conv2d_test": "tests the Winograd transforms of a header that the override does not include",
}

# A CPU that lacks the instructions runs the best ones that it has.
_CPUS = ("baseline", "avx2", "avx512")


class Programs(NamedTuple):
    """The built programs.

    Attributes:
      correct: the tests.
      wrong: the same with functions of tools/runtime/math that compute nothing.
      data: the folder below which the tests find their data.
      in_tree: the names of all tests of kernels in TensorFlow's tree.
    """

    correct: dict[str, Path]
    wrong: dict[str, Path]
    data: Path
    in_tree: frozenset[str]


@pytest.fixture(scope="module", name="programs")
def _programs() -> Iterator[Programs]:
    folder = nested.source_tree() / "tests/kernels/upstream"
    with nested.opened(folder, "kernels_upstream") as workspace:
        yield _built(workspace)


def _built(workspace: Workspace) -> Programs:
    programs = [f"//:{name}{kind}" for name in _PROGRAMS for kind in ("", "_wrong")]
    build = workspace.build(["//:all_tests", "//:data", *programs])

    def of_kind(kind: str) -> dict[str, Path]:
        return {name: build.files(f"//:{name}{kind}")[0] for name in _PROGRAMS}

    paths = build.files("//:all_tests")[0].read_text(encoding="utf-8").splitlines()
    return Programs(
        correct=of_kind(""),
        wrong=of_kind("_wrong"),
        # The folder that contains tensorflow/core/kernels/spectrogram_test_data.
        data=build.files("//:data")[0].parents[4],
        in_tree=frozenset(Path(path).stem for path in paths),
    )


def _run(program: Path, data: Path, scratch: Path, cpu: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program],
        # Nothing else: GoogleTest reads Bazel's variables.
        env={"TEST_SRCDIR": str(data), "TEST_TMPDIR": str(scratch), "TFCARVE_CPU": cpu},
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


@pytest.mark.parametrize("cpu", _CPUS)
@pytest.mark.parametrize("name", _PROGRAMS)
def test_upstream(name: str, cpu: str, programs: Programs, tmp_path: Path) -> None:
    done = _run(programs.correct[name], programs.data, tmp_path, cpu)
    assert done.returncode == 0, done.stdout
    cases = _PROGRAMS[name].cases
    assert f"[  PASSED  ] {cases} test{'' if cases == 1 else 's'}." in done.stdout


@pytest.mark.parametrize("name", _PROGRAMS)
def test_wrong_overrides(name: str, programs: Programs, tmp_path: Path) -> None:
    done = _run(programs.wrong[name], programs.data, tmp_path, "")
    assert (done.returncode != 0) == _PROGRAMS[name].calls_math, done.stdout


def test_each_override_with_a_test_is_tested(programs: Programs) -> None:
    overrides = nested.source_tree() / "third_party/tensorflow/overrides/kernels"
    named = {f"{source.stem}_test" for source in overrides.rglob("*.cc")} & programs.in_tree
    assert named - _PROGRAMS.keys() == _LEFT_OUT.keys()
