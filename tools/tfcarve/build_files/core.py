"""Which of TensorFlow's sources make the core: the runtime that every carved library holds."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tfcarve.build_files import sources
from tfcarve.build_files.sources import Sources
from tfcarve.build_files.tree import BuildTree, Label

_MOBILE_SOURCES = Label("tensorflow/core", "mobile_srcs")

# A plain session needs neither TensorFlow's C API nor eager execution.
_NOT_IN_THE_CORE = re.compile(r"tensorflow/(c/|core/common_runtime/eager/)")

# Sources of the mobile build that register something which few models ask for, or none: they are
# compiled where a model does (`compiles` in selection/runtime_ops.yaml, or a kernel of their own).
ON_DEMAND = (
    # Looked up by name for collective ops.
    "tensorflow/core/common_runtime/all_to_all.cc",
    "tensorflow/core/common_runtime/hierarchical_tree_broadcaster.cc",
    "tensorflow/core/common_runtime/permuter.cc",
    "tensorflow/core/common_runtime/ring_gatherer.cc",
    "tensorflow/core/common_runtime/ring_reducer.cc",
    # Rewrite AccumulateNV2, control flow by functions, and ParallelConcat.
    "tensorflow/core/common_runtime/accumulate_n_optimizer.cc",
    "tensorflow/core/common_runtime/lower_functional_ops.cc",
    "tensorflow/core/common_runtime/parallel_concat_optimizer.cc",
    # Holds the kernels of WrapDatasetVariant and UnwrapDatasetVariant, and what tf.data links.
    "tensorflow/core/framework/dataset.cc",
    # Works out what placement over devices with memories of their own asks for.
    "tensorflow/core/common_runtime/type_inference.cc",
    # Empty but for builds with MKL or ZenDNN.
    "tensorflow/core/common_runtime/mkl_layout_pass.cc",
    "tensorflow/core/common_runtime/zen_layout_pass.cc",
    # Named by flags of TensorFlow's servers.
    "tensorflow/core/common_runtime/no_op_cost_measurement.cc",
    "tensorflow/core/common_runtime/null_request_cost_accessor.cc",
)

# TensorFlow's targets bring these by select() on the platform.
_PLATFORM_SOURCES = (
    "tensorflow/tsl/framework/device_type.cc",
    "tensorflow/tsl/platform/default/env_time.cc",
    "tensorflow/tsl/platform/default/logging.cc",
    "tensorflow/tsl/platform/default/mutex.cc",
    "tensorflow/tsl/platform/default/resource.cc",
)

# Where kernels and op definitions are, and where the sources are that they need to link.
UNIT_FOLDERS = ("tensorflow/core/kernels", "tensorflow/core/ops", "tensorflow/c/kernels")
_HELPER_FOLDERS = tuple(
    f"tensorflow/core/{f}" for f in ("common_runtime", "data", "framework", "lib", "util")
)
_C_API_SHAPES = "tensorflow/c/kernels/tensor_shape_utils.cc"
_NOT_FOR_CPU = re.compile(r"_test$|_gpu$|\.cu$")

# A static object at the start of a line that registers something: an object file that holds one
# is lost in an archive, for nothing refers to it by name.
_REGISTERS = re.compile(r"^(?:REGISTER_\w+\(|static \w*Registrar \w+;)", re.MULTILINE)
_IMPORT = re.compile(r'^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"', re.MULTILINE)
_OURS = re.compile(r"tensorflow/(core|tsl)/")
_GENERATED_HEADER = re.compile(r"\.(?:pb|pb_text|grpc\.pb)\.h$")


@dataclass(frozen=True)
class Core:
    """Paths from the tree's root, each tuple sorted."""

    sources: tuple[str, ...]
    registering_sources: tuple[str, ...]
    headers: tuple[str, ...]
    protos: tuple[str, ...]
    unit_headers: tuple[str, ...]
    unit_sources: tuple[str, ...]


class CoreSourcesError(ValueError):
    """The tree does not tell what its core is."""


def core_sources(tree: BuildTree) -> frozenset[str]:
    """The C++ sources of the core of a TensorFlow tree, as paths from its root.

    Raises CoreSourcesError where the tree has no filegroup //tensorflow/core:mobile_srcs,
    BuildFileError where a BUILD file cannot be read.
    """
    files = tree.filegroup(_MOBILE_SOURCES)
    if not files:
        raise CoreSourcesError(
            f"{tree.root}: //{_MOBILE_SOURCES.package}:{_MOBILE_SOURCES.name} names no file; is this "
            "the root of a TensorFlow 2.x source tree?"
        )
    chosen = {f for f in files if f.endswith(".cc") and not _NOT_IN_THE_CORE.match(f)}
    chosen -= set(ON_DEMAND)
    return frozenset(chosen | {f for f in _PLATFORM_SOURCES if (tree.root / f).is_file()})


def c_api_sources(tree: BuildTree) -> frozenset[str]:
    """What a kernel written against TensorFlow's C API links: the C API of the mobile build."""
    files = tree.filegroup(_MOBILE_SOURCES)
    own = {f for f in files if f.startswith("tensorflow/c/") and "/eager/" not in f}
    return frozenset(
        f for f in own | {_C_API_SHAPES} if f.endswith(".cc") and (tree.root / f).is_file()
    )


def core_of(root: Path) -> Core:
    """The core of a TensorFlow source tree, from the filegroup //tensorflow/core:mobile_srcs.

    Headers and protos are those that the sources include, directly or not. Raises as core_sources
    does.
    """
    tree = BuildTree(root)
    chosen = core_sources(tree)
    registering = {f for f in chosen if _REGISTERS.search(_text(root / f))}
    files = sources.below(root)
    headers, protos = _included(root, files, chosen)
    units = _sources_below(root, UNIT_FOLDERS)
    helpers = _sources_below(root, _HELPER_FOLDERS) | c_api_sources(tree)
    _, unit_protos = _included(root, files, units)
    unit_headers, _ = _included(root, files, units | helpers)
    return Core(
        sources=tuple(sorted(chosen - registering)),
        registering_sources=tuple(sorted(registering)),
        headers=tuple(sorted(headers)),
        protos=tuple(sorted(_compilable_protos(root, protos | unit_protos))),
        unit_headers=tuple(sorted(unit_headers - headers)),
        unit_sources=tuple(sorted((units | helpers) - chosen)),
    )


def _sources_below(root: Path, folders: Iterable[str]) -> set[str]:
    found = (p for f in folders for p in (root / f).rglob("*.cc"))
    return {str(p.relative_to(root)) for p in found if not _NOT_FOR_CPU.search(p.stem)}


def _included(root: Path, files: Sources, paths: Iterable[str]) -> tuple[set[str], set[str]]:
    """(headers, protos) of the tree that the files at `paths` include, directly or not."""
    names = files.closure(paths)
    protos = {_GENERATED_HEADER.sub(".proto", n) for n in names if _GENERATED_HEADER.search(n)}
    return {n for n in names if (root / n).is_file()}, protos


def _compilable_protos(root: Path, protos: Iterable[str]) -> set[str]:
    """The protos of core and tsl with all that they import, less services and what needs XLA's."""
    imports: dict[str, list[str]] = {}
    todo = list(protos)
    while todo:
        name = todo.pop()
        if name not in imports and _OURS.match(name) and (root / name).is_file():
            imports[name] = _IMPORT.findall(_text(root / name))
            todo.extend(imports[name])
    kept = {n for n in imports if not re.search(r"^service ", _text(root / n), re.MULTILINE)}
    while True:
        broken = {
            n
            for n in kept
            if any(i not in kept and not i.startswith("google/protobuf/") for i in imports[n])
        }
        if not broken:
            return kept
        kept -= broken


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
