"""Tests of core_of() and core.bzl, with a small tree in the layout of TensorFlow."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from small_release import FILES, small_release

from tfcarve.build_files.core import core_of, core_sources
from tfcarve.build_files.core_bzl import core_bzl
from tfcarve.build_files.tree import BuildTree
from tfcarve.releases.paths import ReleaseMismatch
from tfcarve.releases.release import OnDemand
from tfcarve.runtime_sources.optional_sources import OptionalSource, OptionalSources

_TREE = {
    **FILES,
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


def test_registering_sources_stand_apart(root: Path) -> None:
    core = core_of(root, small_release())
    assert core.registering_sources == ("tensorflow/core/session.cc",)
    assert core.sources == ("tensorflow/core/framework/op.cc",)


def test_headers_are_those_included(root: Path) -> None:
    core = core_of(root, small_release())
    assert core.headers == ("tensorflow/core/framework/deep.h", "tensorflow/core/framework/op.h")
    assert core.unit_headers == ("tensorflow/core/kernels/relu_op.h",)


def test_interface_headers_are_those_that_the_core_lacks(root: Path) -> None:
    (root / "tensorflow/lite").mkdir()
    (root / "tensorflow/lite/delegate.cc").write_text(
        '#include "tensorflow/lite/delegate.h"\n#include "tensorflow/core/framework/op.h"\n'
    )
    (root / "tensorflow/lite/delegate.h").write_text('#include "tensorflow/lite/context.h"\n')
    (root / "tensorflow/lite/context.h").write_text("")
    release = small_release()
    sources = ("tensorflow/lite/delegate.cc",)
    interfaces = msgspec.structs.replace(release.interfaces, flex_delegate=sources)
    changed = dataclasses.replace(release, interfaces=interfaces)
    core = core_of(root, changed)
    assert core.interface_headers == ("tensorflow/lite/context.h", "tensorflow/lite/delegate.h")
    assert core_of(root, release).interface_headers == ()
    written = _sources(core_bzl(changed, core, OptionalSources(())))
    assert written.interface_headers == list(core.interface_headers)
    assert written.flex_delegate_sources == list(sources)
    assert written.flex_kernel_sources == []


def test_protos_come_with_their_imports(root: Path) -> None:
    """Not services, and not what would need a compiler's protos."""
    names = [
        p.removeprefix("tensorflow/core/protobuf/") for p in core_of(root, small_release()).protos
    ]
    assert names == ["config.proto", "inner.proto"]


def test_unit_sources_are_for_the_processor(root: Path) -> None:
    assert core_of(root, small_release()).unit_sources == (
        "tensorflow/c/c_api.cc",
        "tensorflow/core/kernels/relu_op.cc",
    )


def test_not_a_tensorflow_tree(tmp_path: Path) -> None:
    release = small_release()
    with pytest.raises(
        ReleaseMismatch, match=rf"is this the root of a TensorFlow {release.name} source tree\?"
    ):
        core_sources(BuildTree(tmp_path), release)


def _sources(text: str) -> SimpleNamespace:
    """Returns the struct in the text of core.bzl."""
    values: dict[str, Any] = {"struct": SimpleNamespace}
    exec(text, values)
    found = values["SOURCES"]
    assert isinstance(found, SimpleNamespace)
    return found


def test_core_bzl(root: Path) -> None:
    release = small_release()
    optional = OptionalSources(
        tuple(
            OptionalSource(path, (), (), session)
            for path, session in (
                ("absl/time/clock.cc", True),
                ("re2/re2.cc", False),
                ("tensorflow/core/framework/op.cc", False),
                ("tensorflow/core/protobuf/config.pb.cc", True),
                ("third_party/tensorflow/overrides/core/tensorflow/core/graph/graph.cc", True),
            )
        )
    )
    sources = _sources(core_bzl(release, core_of(root, release), optional))
    assert sources.core_sources == ["tensorflow/core/framework/op.cc"]
    override = "third_party/tensorflow/overrides/core/tensorflow/core/graph/graph.cc"
    op = "tensorflow/core/framework/op.cc"
    assert sources.optional_sources == ["absl/time/clock.cc", "re2/re2.cc", op, override]
    assert sources.optional_protos == ["tensorflow/core/protobuf/config.proto"]
    # Each library compiles the sources of other projects that it needs.
    assert sources.session_sources == [override]
    assert sources.session_protos == ["tensorflow/core/protobuf/config.proto"]
    assert sources.unit_headers == ["tensorflow/core/kernels/relu_op.h"]
    assert sources.overridden_sources == ["tensorflow/core/framework/op.cc"]
    assert sources.added_kernels == [added.path for added in release.overrides.added]


@pytest.mark.parametrize("path", ["tensorflow/core/gone.cc", "tensorflow/core/gone.pb.cc"])
def test_optional_source_that_the_core_lacks(root: Path, path: str) -> None:
    release = small_release()
    optional = OptionalSources((OptionalSource(path, (), (), False),))
    with pytest.raises(ReleaseMismatch, match=r"tensorflow/core/gone\.\w+: optional sources of"):
        core_bzl(release, core_of(root, release), optional)


@pytest.mark.parametrize("field", ["platform_sources", "on_demand", "always"])
def test_a_source_that_the_tree_lacks_is_named(root: Path, field: str) -> None:
    """A release whose data names a source that is gone fails; the source is not dropped."""
    release = small_release()
    gone = ("tensorflow/core/gone.cc",)
    value = (OnDemand(why="", sources=gone),) if field == "on_demand" else gone
    core = msgspec.structs.replace(release.core, **{field: value})
    message = rf"no such file or folder: tensorflow/core/gone\.cc \(core\.{field}\): .*release\.toml names them"
    changed = dataclasses.replace(release, core=core)
    for read in (core_of, lambda root, release: core_sources(BuildTree(root), release)):
        with pytest.raises(ReleaseMismatch, match=message):
            read(root, changed)


def test_other_paths_that_the_tree_lacks_are_named(root: Path) -> None:
    release = small_release()
    units = msgspec.structs.replace(release.units, folders=("tensorflow/core/gone",))
    with pytest.raises(ReleaseMismatch, match=r"tensorflow/core/gone \(units\.folders\)"):
        core_of(root, dataclasses.replace(release, units=units))


def test_sources_that_no_cpu_compiles(root: Path) -> None:
    release = small_release()
    units = msgspec.structs.replace(release.units, not_for_cpu=())
    found = core_of(root, dataclasses.replace(release, units=units)).unit_sources
    assert set(found) - set(core_of(root, release).unit_sources) == {
        "tensorflow/core/kernels/relu_op_gpu.cu.cc",
        "tensorflow/core/kernels/relu_op_test.cc",
    }


@pytest.mark.parametrize("folder", ["", "third_party/xla"])
def test_labels_of_repositories_in_the_tree(folder: str, root: Path) -> None:
    """From 2.15 on, TensorFlow's BUILD files name TSL's targets by @local_tsl."""
    platform = root / folder / "tsl/platform"
    platform.mkdir(parents=True)
    (platform / "BUILD").write_text('filegroup(name = "srcs", srcs = ["env.cc"])')
    (platform / "env.cc").write_text("")
    build = root / "tensorflow/core/framework/BUILD"
    build.write_text(
        'filegroup(name = "srcs", srcs = glob(["*.cc"]) + ["@local_tsl//tsl/platform:srcs", "@other//:x"])'
    )
    release = small_release()
    assert not any("env.cc" in source for source in core_of(root, release).sources)
    layout = msgspec.structs.replace(release.tree, repositories={"local_tsl": folder})
    core = core_of(root, dataclasses.replace(release, tree=layout))
    assert str((platform / "env.cc").relative_to(root)) in core.sources
