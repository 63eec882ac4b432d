"""Source trees: a small one that tests write, and the real one."""

import os
from collections.abc import Mapping
from pathlib import Path

from tfcarve.releases.tree_version import version

_OP_KERNEL = """\
#ifndef OP_KERNEL_H_
#define OP_KERNEL_H_
#include <vector>
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/made_by_the_build.pb.h"
/* A comment
#define REGISTER_FLOAT WRONG
*/
#define REGISTER_KERNEL_BUILDER(kernel_builder, ...) not_ours(#__VA_ARGS__)
#define TF_CALL_float(m) m(float)
#define TF_CALL_int32(m) m(::tensorflow::int32)
class OpKernel { void text() { "no preprocessor line"; } };
#endif
"""
_OP = """\
#pragma once
#define REGISTER_OP(name) not_ours
"""
_TYPES = """\
#pragma once
#ifdef SLIM
constexpr DataTypeSet kNumberTypes = ToSet(DT_FLOAT);
#else
constexpr DataTypeSet kNumberTypes = ToSet(DT_INT32) | ToSet(DT_FLOAT);
#endif
constexpr DataTypeSet kQuantizedTypes = ToSet(DT_QINT8);
constexpr DataTypeSet kRealNumberTypes = ToSet(DT_FLOAT) | ToSet(DT_INT32);
"""
_TYPES_CC = """\
const char* const DEVICE_DEFAULT = "DEFAULT";
const char* const DEVICE_CPU = "CPU";
const char* const DEVICE_GPU = "GPU";
"""
_TWICE = """\
#include "tensorflow/core/framework/op_kernel.h"
namespace tensorflow {
#define REGISTER(type)                                              \\
  REGISTER_KERNEL_BUILDER(                                          \\
      Name("Twice").Device(DEVICE_CPU).TypeConstraint<type>("T"),   \\
      TwiceOp<CPUDevice, type>);
TF_CALL_float(REGISTER)
TF_CALL_int32(REGISTER)
REGISTER_KERNEL_BUILDER(Name("Twice").Device(DEVICE_GPU).HostMemory("x"),
                        TwiceOp<GPUDevice>);
}
"""
_OPS = """\
#include "tensorflow/core/framework/op.h"
namespace tensorflow {
REGISTER_OP("Twice").Input("x: T").Output("y: T").Attr("T: numbertype = DT_FLOAT");
REGISTER_OP("NoOp");
}
"""
_NO_OP = """\
#include "tensorflow/core/framework/op_kernel.h"
REGISTER_SYSTEM_KERNEL_BUILDER(Name("NoOp").Device(DEVICE_DEFAULT), NoOp);
"""
_VERSION = """\
#define TF_MAJOR_VERSION 9
#define TF_MINOR_VERSION 8
#define TF_PATCH_VERSION 7
#define TF_VERSION_SUFFIX "-rc1"
"""

FILES = {
    "tensorflow/core/framework/op_kernel.h": _OP_KERNEL,
    "tensorflow/core/framework/op.h": _OP,
    "tensorflow/core/framework/types.h": _TYPES,
    "tensorflow/core/framework/types.cc": _TYPES_CC,
    "tensorflow/core/kernels/twice_op.cc": _TWICE,
    "tensorflow/core/kernels/twice_op_test.cc": 'REGISTER_OP("OnlyInATest");',
    "tensorflow/core/kernels/no_op.cc": _NO_OP,
    "tensorflow/core/ops/some_ops.cc": _OPS,
    "tensorflow/core/public/version.h": _VERSION,
}


def write(folder: Path, files: Mapping[str, str] = FILES) -> Path:
    """Writes a tree; returns its root."""
    for path, text in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def tensorflow(wanted: str = "") -> Path:
    """Returns the root of TensorFlow's sources: $TFCARVE_TENSORFLOW, or a repository in Bazel's runfiles.

    Args:
      wanted: the version; empty: any.
    """
    named = os.environ.get("TFCARVE_TENSORFLOW")
    folders = [Path(named)] if named else Path(os.environ["RUNFILES_DIR"]).iterdir()
    for folder in folders:
        if version(folder) != "unknown" and wanted in ("", version(folder)):
            return folder
    raise FileNotFoundError(f"sources of TensorFlow {wanted}: set TFCARVE_TENSORFLOW")
