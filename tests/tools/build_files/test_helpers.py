"""Tests of helper_sources(), with a small tree in the layout of TensorFlow."""

import dataclasses
from pathlib import Path

import msgspec
import pytest
from small_release import small_release

from tfcarve.build_files import sources
from tfcarve.build_files.helpers import helper_sources
from tfcarve.build_files.tree import BuildTree
from tfcarve.releases.release import OnDemand, Release

_K = "tensorflow/core/kernels"

_TREE = {
    "BUILD": """
tf_kernel_library(name = "add", prefix = "add_op", deps = [":fill", ":cast"])
cc_library(name = "fill", srcs = ["fill.cc"], hdrs = ["fill.h"], deps = [":deep"])
cc_library(name = "deep", srcs = ["deep.cc"], hdrs = ["deep.h"])
tf_kernel_library(name = "cast", srcs = ["cast.cc"], hdrs = ["cast.h"])
tf_kernel_library(name = "move", srcs = ["move.cc"], hdrs = ["move_functor.h"])
tf_kernel_library(name = "big", srcs = ["launch.cc", "unused.cc"], hdrs = ["big.h"])
tf_kernel_library(name = "take", prefix = "take")
tf_kernel_library(name = "segment", prefix = "segment")
tf_kernel_library(name = "repeat", srcs = ["repeat_cpu.h", "repeat_cpu_int.cc"], prefix = "repeat_op")
cc_library(name = "core_thing", srcs = ["core_thing.cc"], hdrs = ["core_thing.h"])
""",
    # Includes the header of `cast` only for its template, and calls Launch().
    "add_op.cc": f"""
#include "{_K}/fill.h"
#include "{_K}/cast.h"
#include "{_K}/big.h"
#include "{_K}/core_thing.h"
void Compute() {{ Fill(); CastTemplate<int>(); Launch(); }}
""",
    "add_op_inst.cc": f'#include "{_K}/add_op.h"\n',
    "add_op.h": "",
    "add_op_gpu.cu.cc": "void Fill() {}",
    "fill.h": "void Fill();",
    "fill.cc": f'#include "{_K}/deep.h"\nvoid Fill() {{}}',
    "deep.h": "void Deep();",
    "deep.cc": "void Deep() {}",
    "cast.h": "template <class T> void CastTemplate() {} class CastOp { void Compute(); };",
    "cast.cc": "void CastOp::Compute() {}",
    "big.h": "void Launch();",
    "launch.cc": "void Launch() {}",
    "unused.cc": "void Unused() {}",
    # Its functor is instantiated by files that use a macro of their header for that.
    "take.h": "template <class D> struct Take { int operator()(const D& d, int n) const; };",
    "take_impl.h": f"""#include "{_K}/take.h"
#define TAKE(T)  \\
  template int   \\
      Take<CPUDevice, T, RANK>::operator()(const CPUDevice& d, int n) const;
""",
    "take_impl_1.cc": f'#define RANK 1\n#include "{_K}/take_impl.h"\n',
    "take.cc": f'#include "{_K}/take.h"\n',
    # Includes the same header; no file has its name as a prefix.
    "takes_more.cc": f'#include "{_K}/take.h"\n',
    # Declares the functor in the source itself.
    "repeat_op.cc": "template <class D> struct Repeat { void operator()(const D& d) const; };",
    "repeat_cpu.h": "template <class D> void Repeat<D>::operator()(const D& d) const {}",
    "repeat_cpu_int.cc": f'#include "{_K}/repeat_cpu.h"\ntemplate struct Repeat<CPUDevice>;\n',
    # One of several sources that share templates defines a function that the templates call.
    "segment_impl.h": "bool Validate(int n);\ntemplate <class T> void Sum() {\n  Validate(1);\n}",
    "segment_impl_1.cc": f'#include "{_K}/segment_impl.h"\nbool Validate(int n) {{ return n; }}',
    "segment_impl_2.cc": f'#include "{_K}/segment_impl.h"\nvoid Run() {{ Sum<int>(); }}',
    "core_thing.h": "",
    "core_thing.cc": "",
    "move_functor.h": "template <class D> void DoMove(const D& d);",
    "move.cc": "template <>\nvoid DoMove(const CPUDevice& d) {}",
    "uses_move.cc": f'#include "{_K}/move_functor.h"\nvoid Run() {{ DoMove(d); }}',
    "uses_cast_op.cc": f'#include "{_K}/cast.h"\nvoid Run() {{ CastOp op; }}',
}
_REGISTERING = {
    f"{_K}/{n}"
    for n in (
        "add_op.cc",
        "cast.cc",
        "move.cc",
        "repeat_op.cc",
        "segment_impl_1.cc",
        "segment_impl_2.cc",
        "take.cc",
        "takes_more.cc",
        "uses_cast_op.cc",
    )
} | {"tensorflow/core/framework/dataset.cc"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / _K
    folder.mkdir(parents=True)
    for name, text in _TREE.items():
        (folder / name).write_text(text)
    return tmp_path


def _release(root: Path) -> Release:
    """The small tree's release: tf.data's dataset.cc is compiled on demand, if it is there."""
    dataset = "tensorflow/core/framework/dataset.cc"
    group = OnDemand(why="tf.data links it", sources=(dataset,))
    release = small_release()
    if not (root / dataset).is_file():
        return release
    core = msgspec.structs.replace(release.core, on_demand=(group,))
    return dataclasses.replace(release, core=core)


def _helpers(root: Path, unit: str) -> list[str]:
    core = {f"{_K}/core_thing.cc"}
    found = helper_sources(
        BuildTree(root), _release(root), sources.below(root), [f"{_K}/{unit}"], _REGISTERING, core
    )
    return [h.removeprefix(_K + "/") for h in found.get(f"{_K}/{unit}", ())]


def test_direct_and_indirect_helpers(root: Path) -> None:
    """Without sources of the core, for GPUs, or that the targets contain for others."""
    assert _helpers(root, "add_op.cc") == ["deep.cc", "fill.cc", "launch.cc"]


def test_registering_source_with_a_used_name(root: Path) -> None:
    assert _helpers(root, "uses_move.cc") == ["move.cc"]
    assert _helpers(root, "uses_cast_op.cc") == ["cast.cc"]


def test_registering_source_that_shared_templates_call(root: Path) -> None:
    assert _helpers(root, "segment_impl_2.cc") == ["segment_impl_1.cc"]
    assert _helpers(root, "segment_impl_1.cc") == []


@pytest.mark.parametrize(
    ("unit", "helper"),
    [
        ("take.cc", "take_impl_1.cc"),
        ("takes_more.cc", "take_impl_1.cc"),
        ("repeat_op.cc", "repeat_cpu_int.cc"),
    ],
)
def test_sources_that_only_instantiate(root: Path, unit: str, helper: str) -> None:
    assert _helpers(root, unit) == [helper]
    # Negative control: a functor that is defined in place needs no other source.
    for name in ("take.h", "repeat_op.cc"):
        file = root / _K / name
        file.write_text(file.read_text().replace("const; };", "const {} };"))
    assert _helpers(root, unit) == []


def test_sources_that_are_not_in_the_core(root: Path) -> None:
    """dataset.cc of tf.data: the only libraries with it contain most of the core."""
    framework = root / "tensorflow/core/framework"
    framework.mkdir()
    (framework / "dataset.h").write_text("class DatasetBase { int Get(); };")
    (framework / "dataset.cc").write_text("int DatasetBase::Get() { return 1; }")
    for name, call in {"zip_op.cc": "DatasetBase{}.Get()", "other_op.cc": "1"}.items():
        text = f'#include "tensorflow/core/framework/dataset.h"\nint Run() {{ return {call}; }}'
        (root / _K / name).write_text(text)
    assert _helpers(root, "zip_op.cc") == ["tensorflow/core/framework/dataset.cc"]
    assert _helpers(root, "other_op.cc") == []


def test_source_that_cannot_be_a_helper(root: Path) -> None:
    release = small_release()
    refused = {f"{_K}/fill.cc": "it is for streams of GPUs"}
    units = msgspec.structs.replace(release.units, not_helpers=refused)
    unit = f"{_K}/add_op.cc"
    found = helper_sources(
        BuildTree(root),
        dataclasses.replace(release, units=units),
        sources.below(root),
        [unit],
        _REGISTERING,
        {f"{_K}/core_thing.cc"},
    )
    assert f"{_K}/fill.cc" not in found[unit]
    assert f"{_K}/launch.cc" in found[unit]


def test_source_in_a_folder_that_is_not_searched(root: Path) -> None:
    release = small_release()
    units = msgspec.structs.replace(release.units, searched_folders=(f"{_K}/other",))
    changed = dataclasses.replace(release, units=units)
    unit = f"{_K}/add_op.cc"
    assert (
        helper_sources(BuildTree(root), changed, sources.below(root), [unit], _REGISTERING, set())
        == {}
    )


def test_source_without_helpers(root: Path) -> None:
    units = [f"{_K}/deep.cc"]
    assert (
        helper_sources(
            BuildTree(root), small_release(), sources.below(root), units, _REGISTERING, set()
        )
        == {}
    )


def test_kernel_of_the_c_api(root: Path) -> None:
    """It links the sources whose headers it or one of these sources includes, but no session."""
    unit = "tensorflow/c/kernels/bitcast_op.cc"
    files = {
        unit: '#include "tensorflow/c/kernels.h"',
        "tensorflow/c/kernels.h": '#include "tensorflow/c/c_api.h"',
        "tensorflow/c/kernels.cc": '#include "tensorflow/c/kernels.h"\n#include "tensorflow/c/status.h"',
        "tensorflow/c/c_api.h": "",
        "tensorflow/c/c_api.cc": '#include "tensorflow/c/checkpoint.h"',
        "tensorflow/c/status.h": "",
        "tensorflow/c/status.cc": '#include "tensorflow/c/status.h"',
        "tensorflow/c/checkpoint.h": "",
        "tensorflow/c/checkpoint.cc": '#include "tensorflow/c/checkpoint.h"',
        "tensorflow/c/BUILD": 'filegroup(name = "srcs", srcs = glob(["*.cc"]))',
        "tensorflow/core/BUILD": 'filegroup(name = "mobile_srcs", srcs = ["//tensorflow/c:srcs"])',
    }
    (root / "tensorflow/c/kernels").mkdir(parents=True)
    for name, text in files.items():
        (root / name).write_text(text)
    found = helper_sources(
        BuildTree(root), small_release(), sources.below(root), [unit], {unit}, set()
    )
    assert found == {unit: ("tensorflow/c/kernels.cc", "tensorflow/c/status.cc")}
