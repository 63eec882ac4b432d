"""A small library that registers with TensorFlow's macros, built as tf_mobile_library builds libraries."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from selections import selection

from tfcarve.emit import manifest as emit
from tfcarve.emit import units
from tfcarve.proof import manifest
from tfcarve.selection.selection import Selection

KERNELS, OPS, CONSTANT, C_API = "k/add.cc", "o/ops.cc", "k/arg.cc", "tensorflow/c/bit.cc"

# The users of registration.h, op.h and op_kernel.h, need all of TensorFlow. These are their macros and classes; the code only
# counts. UnfinishedOp, which no test selects, does not compile if something instantiates it.
_MACROS = """\
#pragma once
#include "tensorflow/core/framework/registration/registration.h"
extern "C" __attribute__((visibility("default"))) int registered;
#define TF_ATTRIBUTE_UNUSED __attribute__((unused))
namespace tensorflow {
class OpKernelConstruction;
class OpKernel {
 public:
  static void* operator new(decltype(sizeof(0))) noexcept { return nullptr; }
};
struct KernelDef {};
namespace kernel_factory {
struct OpKernelRegistrar {
  OpKernelRegistrar(const KernelDef*, const char*, OpKernel* (*)(OpKernelConstruction*)) {
    ++registered;
  }
};
}  // namespace kernel_factory
}  // namespace tensorflow
struct CPU;
struct Name {
  explicit Name(const char*) {}
  const tensorflow::KernelDef* Build() const { return nullptr; }
};
struct ArgOp : tensorflow::OpKernel {
  explicit ArgOp(tensorflow::OpKernelConstruction*) {}
};
template <typename Device, typename T>
struct AddOp : ArgOp {
  using ArgOp::ArgOp;
};
template <typename Device, typename T>
struct SubOp : AddOp<Device, T> {
  using AddOp<Device, T>::AddOp;
};
template <typename Device, typename T>
struct UnfinishedOp : ArgOp {
  explicit UnfinishedOp(tensorflow::OpKernelConstruction* context) : ArgOp(context) {
    static_assert(sizeof(T) == 0, "instantiated, but not selected");
  }
};
#define COUNT [] { ++registered; return ::tensorflow::InitOnStartupMarker{}; }
#define REGISTER_OP(name) TF_NEW_ID_FOR_INIT(REGISTER_OP_IMPL, name, false)
#define REGISTER_OP_IMPL(ctr, name, is_system)                        \\
  static ::tensorflow::InitOnStartupMarker const op_##ctr =           \\
      TF_INIT_ON_STARTUP_IF(is_system || SHOULD_REGISTER_OP(name)) << COUNT
#define KERNEL(op, ...) \\
  TF_NEW_ID_FOR_INIT(REGISTER_KERNEL_BUILDER_IMPL_3, op, Name(op), false, __VA_ARGS__)
#define SYSTEM_KERNEL(op, ...) \\
  TF_NEW_ID_FOR_INIT(REGISTER_KERNEL_BUILDER_IMPL_3, op, Name(op), true, __VA_ARGS__)
"""
SOURCES = {
    "macros.h": _MACROS,
    "core.cc": 'extern "C" { __attribute__((visibility("default"))) int registered = 0; }\n',
    OPS: '#include "macros.h"\nREGISTER_OP("Add");\nREGISTER_OP("AddV2");\nREGISTER_OP("Sub");\n'
    'REGISTER_OP("_Arg");\nREGISTER_OP("Bit");\n',
    KERNELS: """\
#include "macros.h"
#define BOTH(T) KERNEL("Add", AddOp<CPU, T>); KERNEL("AddV2", AddOp<CPU, T>);
BOTH(float)
BOTH(double)
void InAFunction() { KERNEL("Sub", SubOp<CPU, float>); KERNEL("Sub", UnfinishedOp<CPU, float>); }
""",
    CONSTANT: '#include "macros.h"\nstatic const char* const kArgOp = "_Arg";\nSYSTEM_KERNEL(kArgOp, ArgOp);\n',
    C_API: """\
#include "macros.h"
static bool once = [] { if (SHOULD_REGISTER_OP_KERNEL("BitOp")) ++registered; return true; }();
""",
}
COPTS = (
    "-std=c++17", "-Os", "-fPIC", "-ffunction-sections", "-fdata-sections", "-fvisibility=hidden",
    "-w", "-DSELECTIVE_REGISTRATION", "-DTF_OPTION_REGISTRATION_V2()=0",
)  # fmt: skip
LINK = (
    "-shared", "-nostdlib", "-Wl,--gc-sections", "-Wl,-z,nostart-stop-gc", "-Wl,--whole-archive",
)  # fmt: skip

ADD = ("Add", "AddOp<CPU, float>", KERNELS)
ADD_V2 = ("AddV2", "AddOp<CPU, float>", KERNELS)
BIT = ("Bit", "BitOp", C_API)
ARG = ("_Arg", "ArgOp", CONSTANT)


def selected(
    kernels: Sequence[tuple[str, str, str]] = (ADD, BIT), ops: Sequence[str] = ("Add", "Bit")
) -> Selection:
    """A selection of these kernels and ops, and of a kernel that is always registered."""
    return selection(kernels, [(op, OPS) for op in (*ops, "_Arg")], [ARG])


def _runfile(variable: str) -> Path:
    """The runfile that the BUILD file names in an environment variable."""
    return Path(os.environ["RUNFILES_DIR"], os.environ[variable])


@dataclass
class Library:
    """A library to build in `folder` with `compiler`."""

    folder: Path
    compiler: Sequence[str] = ("g++",)
    objects: list[Path] = field(default_factory=list)

    def run(self, *argv: str | Path) -> None:
        """Runs a build tool."""
        done = subprocess.run(
            argv, cwd=self.folder, check=False, text=True, capture_output=True, timeout=600
        )
        assert done.returncode == 0, done.stderr

    def compile(self, wanted: Selection, *, table: bool = True) -> "Library":
        """Compiles the units of a selection, and its manifest."""
        runtime = _runfile("REGISTRATION_TABLE_H").parents[1]
        tree = _runfile("REGISTRATION_H").parents[4]
        for name, text in SOURCES.items():
            self._write(name, text.encode())
        # Bazel generates it for apps; here -D defines its macro.
        self._write("tensorflow/core/framework/registration/options.h", b"")
        repository = self.folder / "tools" / "runtime"
        repository.parent.mkdir(exist_ok=True)
        if not repository.exists():
            repository.symlink_to(runtime)
        sources = {f"units/{name}": text for name, text in units.units(wanted).items()}
        sources["manifest.cc"] = emit.source(
            manifest.of(wanted).to_json(), "flex", keep_table=table
        )
        for name, content in sources.items():
            self._write(name, content)
        flags = [*COPTS, "-I.", "-Itools/runtime/shims", "-Itools/runtime/api"]
        flags += ["-idirafter", str(tree)]
        for name in ("core.cc", *sources):
            self.objects.append(self.folder / f"{Path(name).stem}.o")
            self.run(*self.compiler, *flags, "-c", name, "-o", self.objects[-1])
        return self

    def _write(self, name: str, data: bytes) -> None:
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(data)

    def archive(self, but: str = "") -> Path:
        """Archives the objects, without the object of the source `but`."""
        path = self.folder / "libunits.a"
        path.unlink(missing_ok=True)
        omitted = units.file_name(but).removesuffix(".cc") if but else ""
        self.run("ar", "qcsD", path, *(o for o in self.objects if o.stem != omitted))
        return path

    def shared(self, but: str = "", link: Sequence[str] = LINK) -> Path:
        """Links the objects, without the object of the source `but`, and strips the library."""
        path = self.folder / "library.so"
        self.run(*self.compiler, "-o", path, *link, self.archive(but))
        if self.compiler == ("g++",):
            self.run("strip", "--strip-all", path)
        return path
