"""Tests of the BUILD fragment for TensorFlow's filegroups of mobile kernels."""

from pathlib import Path

import pytest
import trees
from selections import selection

from tfcarve.build_files.evaluate import BuildFileError
from tfcarve.emit.kernel_groups import kernel_groups
from tfcarve.errors import InvalidInput
from tfcarve.releases import known

_K = "tensorflow/core/kernels/"
_BUILD = """
filegroup(name = "mobile_srcs", srcs = ["in_core.h"])
filegroup(name = "PREFIX_core_ops", srcs = ["relu_op.cc"])
filegroup(name = "PREFIX_extended_ops_headers", srcs = ["relu_op.h"])
filegroup(name = "PREFIX_extended_ops_group1", srcs = ["//tensorflow/core/kernels/linalg:all"])
filegroup(name = "PREFIX_extended_ops_group2", srcs = [":PREFIX_extended_ops_headers"])
filegroup(
    name = "PREFIX_extended_ops",
    srcs = [":PREFIX_extended_ops_group1", ":PREFIX_extended_ops_group2"],
)
"""
_FILES = {
    _K + "relu_op.cc": '#include "tensorflow/core/kernels/relu_op.h"',
    _K + "relu_op.h": "",
    _K + "in_core.h": "",
    _K + "new_op.cc": "".join(
        f'#include "{h}"\n'
        for h in (_K + "relu_op.h", _K + "new_op.h", _K + "in_core.h", "tensorflow/gone.h")
    ),
    _K + "new_op.h": '#include "tensorflow/core/kernels/data/deep/base.h"',
    _K + "data/deep/base.h": "",
    _K + "data/BUILD": 'filegroup(name = "some")',
    _K + "linalg/BUILD": 'filegroup(name = "all", srcs = ["det_op.cc"])',
    _K + "linalg/det_op.cc": "",
    _K + "linalg/inv_op.cc": "",
    "tensorflow/core/BUILD": 'filegroup(name = "mobile_srcs", srcs = ["util/base.cc"])',
    "tensorflow/core/ops/ops.cc": "",
    "tensorflow/core/util/base.cc": "",
}
_MADE = selection(
    [
        ("Relu", "R", _K + "relu_op.cc"),
        ("New", "N", _K + "new_op.cc"),
        ("Det", "D", _K + "linalg/det_op.cc"),
        ("Inv", "I", _K + "linalg/inv_op.cc"),
        ("Mine", "M", "app/mine.cc"),
    ],
    [("New", "tensorflow/core/ops/ops.cc")],
    helpers=["tensorflow/core/util/base.cc"],
)


def _tree(folder: Path, build: str) -> Path:
    return trees.write(folder, {**_FILES, _K + "BUILD": build})


@pytest.mark.parametrize("prefix", ["android", "portable"])
def test_missing_sources(prefix: str, tmp_path: Path) -> None:
    root = _tree(tmp_path, _BUILD.replace("PREFIX", prefix))
    assert (
        kernel_groups(_MADE, known.release(), root).decode()
        == f"""\
# Add these sources to the filegroups with the same names in tensorflow/core/kernels/BUILD of TensorFlow 9.8.7.

filegroup(
    name = "{prefix}_extended_ops_headers",
    srcs = [
        "new_op.h",
        "//tensorflow/core/kernels/data:deep/base.h",
    ],
)

filegroup(
    name = "{prefix}_extended_ops_group2",
    srcs = [
        "new_op.cc",
        "//tensorflow/core/kernels/linalg:inv_op.cc",
    ],
)
"""
    )


def test_no_missing_sources(tmp_path: Path) -> None:
    root = _tree(tmp_path, _BUILD.replace("PREFIX", "android"))
    assert (
        kernel_groups(selection([("Relu", "R", _K + "relu_op.cc")]), known.release(), root) == b""
    )


def test_tree_without_the_filegroups(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no filegroup portable_extended_ops_group2 or android_"):
        kernel_groups(_MADE, known.release(), _tree(tmp_path, ""))


def test_invalid_build_file(tmp_path: Path) -> None:
    with pytest.raises(BuildFileError, match="tensorflow/core/kernels/BUILD:1"):
        kernel_groups(_MADE, known.release(), _tree(tmp_path, "filegroup("))
