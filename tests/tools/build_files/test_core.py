"""Tests of core_of() and core.bzl, with a small tree in the layout of TensorFlow."""

from pathlib import Path

import pytest

from tfcarve.build_files import prepare
from tfcarve.build_files.core import CoreSourcesError, core_of

_TREE = {
    "tensorflow/core/BUILD": """
filegroup(name = "mobile_srcs", srcs = [
    "//tensorflow/core/framework:srcs",
    "//tensorflow/c:srcs",
    "session.cc",
])
""",
    "tensorflow/core/session.cc": """
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/protobuf/config.pb.h"
static SessionRegistrar registrar;
""",
    "tensorflow/core/framework/BUILD": 'filegroup(name="srcs", srcs=glob(["*.cc"])+["op.h"])',
    "tensorflow/core/framework/op.cc": '#include "tensorflow/core/framework/op.h"\n',
    "tensorflow/core/framework/op.h": '#include "tensorflow/core/framework/deep.h"\n',
    "tensorflow/core/framework/deep.h": "",
    "tensorflow/core/framework/unused.h": "",
    "tensorflow/c/BUILD": 'filegroup(name="srcs", srcs=["c_api.cc"])',
    "tensorflow/c/c_api.cc": "",
    "tensorflow/core/kernels/relu_op.cc": """
#include "tensorflow/core/kernels/relu_op.h"
#include "tensorflow/core/protobuf/service.pb.h"
#include "tensorflow/core/protobuf/needs_xla.pb.h"
REGISTER_KERNEL_BUILDER(Name("Relu"), ReluOp);
""",
    "tensorflow/core/kernels/relu_op.h": "",
    "tensorflow/core/kernels/relu_op_gpu.cu.cc": "",
    "tensorflow/core/kernels/relu_op_test.cc": "",
    "tensorflow/core/protobuf/config.proto": 'import "tensorflow/core/protobuf/inner.proto";\n',
    "tensorflow/core/protobuf/inner.proto": 'import "google/protobuf/any.proto";\n',
    "tensorflow/core/protobuf/unused.proto": "",
    "tensorflow/core/protobuf/service.proto": "service Worker {}\n",
    "tensorflow/core/protobuf/needs_xla.proto": 'import "tensorflow/compiler/xla/xla.proto";\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in _TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_registering_sources_are_separate(root: Path) -> None:
    core = core_of(root)
    assert core.registering_sources == ("tensorflow/core/session.cc",)
    assert core.sources == ("tensorflow/core/framework/op.cc",)


def test_included_headers(root: Path) -> None:
    core = core_of(root)
    assert core.headers == ("tensorflow/core/framework/deep.h", "tensorflow/core/framework/op.h")
    assert core.unit_headers == ("tensorflow/core/kernels/relu_op.h",)


def test_protos_and_their_imports(root: Path) -> None:
    """Without services, and without protos that need those of XLA."""
    names = [p.removeprefix("tensorflow/core/protobuf/") for p in core_of(root).protos]
    assert names == ["config.proto", "inner.proto"]


def test_unit_sources_are_for_cpu(root: Path) -> None:
    assert core_of(root).unit_sources == (
        "tensorflow/c/c_api.cc",
        "tensorflow/core/kernels/relu_op.cc",
    )


def test_not_a_tensorflow_tree(tmp_path: Path) -> None:
    with pytest.raises(
        CoreSourcesError, match=r"is this the root of a TensorFlow 2.x source tree\?"
    ):
        core_of(tmp_path)


def test_prepare_writes_the_lists(root: Path) -> None:
    assert prepare.main([str(root)]) == 0
    names: dict[str, list[str]] = {}
    exec((root / "core.bzl").read_text(), names)
    assert names["CORE_SOURCES"] == ["tensorflow/core/framework/op.cc"]
    assert names["UNIT_HEADERS"] == ["tensorflow/core/kernels/relu_op.h"]


def test_prepare_reports_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert prepare.main([str(tmp_path)]) == 2
    assert "names no file" in capsys.readouterr().err
    assert not (tmp_path / "core.bzl").exists()
