"""Tests of indexing a tree of eight files with the real preprocessor."""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import compilers
import pytest
import trees

from tfcarve.errors import InvalidInput
from tfcarve.registry import index, preprocess, scan, target
from tfcarve.registry.index import KernelIndex
from tfcarve.registry.settings import Settings, find_compiler
from tfcarve.registry.target import HOST, Target
from tfcarve.releases import known

_TWICE = "tensorflow/core/kernels/twice_op.cc"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _settings(*defines: str, target: Target = HOST) -> Settings:
    return Settings(defines, find_compiler(os.environ), target)


def _index(root: Path, *defines: str, custom_ops: Sequence[Path] = ()) -> KernelIndex:
    return index.parse(
        scan.make_index(root, known.release(), _settings(*defines), custom_ops), "index"
    )


def test_index(tmp_path: Path) -> None:
    built = _index(trees.write(tmp_path), "A", "B=2")
    assert [
        (r.op, r.device, r.constraints, r.clazz, r.line, r.system) for r in built.registrations
    ] == [
        ("NoOp", "DEFAULT", {}, "NoOp", 2, True),
        ("Twice", "CPU", {"T": ("float32",)}, "TwiceOp<CPUDevice, float>", 7, False),
        ("Twice", "CPU", {"T": ("int32",)}, "TwiceOp<CPUDevice, ::tensorflow::int32>", 8, False),
        ("Twice", "GPU", {}, "TwiceOp<GPUDevice>", 9, False),
    ]
    assert built.registrations[1].file == _TWICE
    assert [(o.name, o.file, o.line) for o in built.ops] == [
        ("NoOp", "tensorflow/core/ops/some_ops.cc", 4),
        ("Twice", "tensorflow/core/ops/some_ops.cc", 3),
    ]
    assert built.ops[1].attrs["T"].allowed == ("float32", "int32")
    assert built.tensorflow.version == "9.8.7-rc1"
    assert built.tensorflow.defines == ("A", "B=2")
    assert built.unresolved == ()


def test_registrations_depend_on_defines(tmp_path: Path) -> None:
    root = trees.write(tmp_path)
    assert _index(root, "SLIM").ops[1].attrs["T"].allowed == ("float32",)
    assert _index(root).ops[1].attrs["T"].allowed == ("float32", "int32")


def test_unchanged_tree(tmp_path: Path, preprocessed: list[str]) -> None:
    root = trees.write(tmp_path)
    first = scan.make_index(root, known.release(), _settings())
    assert sorted(preprocessed) == [
        "tensorflow/core/kernels/no_op.cc", _TWICE, "tensorflow/core/ops/some_ops.cc"
    ]  # fmt: skip
    preprocessed.clear()
    assert scan.make_index(root, known.release(), _settings()) == first
    assert preprocessed == []


@pytest.mark.parametrize(
    ("text", "preprocesses"),
    [
        ('REGISTER_XLA_OP(Name("Twice"), TwiceOp);\n', False),
        ("REGISTER_GRAPH_OPTIMIZER(Remapper);\n", False),
        ('#include "tensorflow/core/kernels/made_by_a_build.inc"\n', False),
        ('#include "tensorflow/core/kernels/twice_op.cc"\n', True),
        ("REGISTER_XLA_OP(a);\nREGISTER_MORE(b);\n", True),
        ("TF_CALL_float(MORE);\n", True),
    ],
)
def test_sources_without_registrations_are_skipped(
    tmp_path: Path, preprocessed: list[str], text: str, preprocesses: bool
) -> None:
    root = trees.write(tmp_path)
    (root / "tensorflow/core/kernels/other_op.cc").write_text(text)
    _index(root)
    assert ("tensorflow/core/kernels/other_op.cc" in preprocessed) is preprocesses


def test_only_a_changed_source_is_preprocessed(tmp_path: Path, preprocessed: list[str]) -> None:
    root = trees.write(tmp_path)
    _index(root)
    preprocessed.clear()
    place = root / _TWICE
    place.write_text(place.read_text().replace("TwiceOp<GPUDevice>", "ThriceOp<GPUDevice>"))
    assert [r.clazz for r in _index(root).registrations if r.device == "GPU"] == [
        "ThriceOp<GPUDevice>"
    ]
    assert preprocessed == [_TWICE]


def test_a_changed_header_preprocesses_its_includers(
    tmp_path: Path, preprocessed: list[str]
) -> None:
    root = trees.write(tmp_path)
    _index(root)
    preprocessed.clear()
    place = root / "tensorflow/core/framework/op_kernel.h"
    place.write_text(place.read_text().replace("m(float)", "m(double)"))
    assert _index(root).registrations[1].clazz == "TwiceOp<CPUDevice, double>"
    assert sorted(preprocessed) == ["tensorflow/core/kernels/no_op.cc", _TWICE]


def test_a_header_text_that_is_no_directive_preprocesses_nothing(
    tmp_path: Path, preprocessed: list[str]
) -> None:
    root = trees.write(tmp_path)
    _index(root)
    preprocessed.clear()
    place = root / "tensorflow/core/framework/op_kernel.h"
    place.write_text(place.read_text().replace("no preprocessor line", "still none"))
    _index(root)
    assert preprocessed == []


_OLD_TYPES_CC = """\
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/platform/logging.h"
#ifdef SLIM
DataTypeVector NumberTypes() { return {DT_FLOAT}; }
#else
DataTypeVector NumberTypes() {
  return {DT_INT32,
          DT_FLOAT};
}
#endif
"""


def test_a_tree_whose_type_sets_are_functions(tmp_path: Path) -> None:
    """As in types.cc up to TensorFlow 1.5."""
    old = {
        "tensorflow/core/framework/types.h": "DataTypeVector NumberTypes();",
        "tensorflow/core/framework/types.cc": _OLD_TYPES_CC,
        "tensorflow/core/platform/logging.h": "#define LOG(x) x",
    }
    root = trees.write(tmp_path, {**trees.FILES, **old})
    assert _index(root).ops[1].attrs["T"].allowed == ("float32", "int32")
    assert _index(root, "SLIM").ops[1].attrs["T"].allowed == ("float32",)


def test_a_tree_without_type_sets(tmp_path: Path) -> None:
    built = _index(trees.write(tmp_path, {**trees.FILES, "tensorflow/core/framework/types.h": ""}))
    assert [o.name for o in built.ops] == ["NoOp"]
    assert [u.why for u in built.unresolved] == [
        "op \"Twice\": the tree does not define 'numbertype'"
    ]


@pytest.mark.parametrize(
    ("header", "seen_as"),
    [
        ("tsl/platform/calls.h", "tsl/platform/calls.h"),
        ("tensorflow/tsl/platform/calls.h", "tensorflow/tsl/platform/calls.h"),
        ("third_party/xla/third_party/tsl/tsl/platform/calls.h", "tsl/platform/calls.h"),
        ("third_party/xla/xla/tsl/platform/calls.h", "xla/tsl/platform/calls.h"),
    ],
    ids=["next to tensorflow", "in tensorflow", "next to XLA", "in XLA"],
)
def test_macros_of_tsl(header: str, seen_as: str, tmp_path: Path) -> None:
    """The places of TSL; the other tests have none, as before 2.11."""
    source = f"""\
#include "tensorflow/core/framework/op_kernel.h"
#include "{seen_as}"
#define REGISTER(type) REGISTER_KERNEL_BUILDER(Name("Once").Device(DEVICE_CPU), OnceOp<type>);
TSL_CALL(REGISTER)
"""
    more = {header: "#define TSL_CALL(m) m(float)\n", "tensorflow/core/kernels/once_op.cc": source}
    built = _index(trees.write(tmp_path, {**trees.FILES, **more}))
    assert [r.clazz for r in built.registrations if r.op == "Once"] == ["OnceOp<float>"]


_CUSTOM = """\
#include "mine.h"
REGISTER_OP("Mine").Input("x: float");
REGISTER_MINE(float)
"""
_CUSTOM_HEADER = """\
#include "tensorflow/core/framework/op_kernel.h"
#define REGISTER_MINE(type) REGISTER_KERNEL_BUILDER(Name("Mine").Device(DEVICE_CPU), MineOp<type>);
"""


def test_custom_op(tmp_path: Path) -> None:
    root = trees.write(tmp_path / "tree")
    app = trees.write(tmp_path / "app", {"ops/mine.cc": _CUSTOM, "ops/mine.h": _CUSTOM_HEADER})
    source = app / "ops/mine.cc"
    built = _index(root, custom_ops=[source])
    mine = [r for r in built.registrations if r.op == "Mine"]
    assert [(r.clazz, r.file, r.line) for r in mine] == [("MineOp<float>", str(source), 3)]

    plain = index.parse(scan.make_index(root, known.release(), _settings()), "index")
    assert plain.op("Mine") is None
    more = scan.with_custom_ops(plain, root, known.release(), _settings(), [source])
    assert more.registrations_of("Mine") == tuple(mine)
    op = more.op("Mine")
    assert op is not None and op.file == str(source)


def test_custom_op_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = trees.write(tmp_path / "tree")
    trees.write(tmp_path / "app", {"ops/mine.cc": _CUSTOM, "ops/mine.h": _CUSTOM_HEADER, "x/y": ""})
    monkeypatch.chdir(tmp_path / "app/x")
    built = _index(root, custom_ops=[Path("../ops/mine.cc")])
    assert [r.file for r in built.registrations if r.op == "Mine"] == ["../ops/mine.cc"]


def test_custom_op_of_another_tensorflow(tmp_path: Path) -> None:
    root = trees.write(tmp_path / "tree")
    other = trees.write(tmp_path / "other", {**trees.FILES, "tensorflow/core/public/version.h": ""})
    source = trees.write(tmp_path / "app", {"mine.cc": _CUSTOM}) / "mine.cc"
    built = index.parse(scan.make_index(other, known.release(), _settings()), "index")
    with pytest.raises(
        InvalidInput,
        match="TensorFlow 9.8.7-rc1, but the index is for unknown: use the tree of the index",
    ):
        scan.with_custom_ops(built, root, known.release(), _settings(), [source])


def test_custom_op_with_changed_sources(tmp_path: Path) -> None:
    """The version is the same, but not the tree."""
    root = trees.write(tmp_path / "tree")
    source = (
        trees.write(tmp_path / "app", {"mine.cc": _CUSTOM, "mine.h": _CUSTOM_HEADER}) / "mine.cc"
    )
    built = index.parse(scan.make_index(root, known.release(), _settings()), "index")
    scan.with_custom_ops(built, root, known.release(), _settings(), [source])
    twice = root / _TWICE
    twice.write_text(twice.read_text().replace("GPUDevice", "OtherDevice"))
    with pytest.raises(InvalidInput, match="the index was created from other sources"):
        scan.with_custom_ops(built, root, known.release(), _settings(), [source])


def test_require_tree(tmp_path: Path) -> None:
    root = trees.write(tmp_path / "tree")
    facts = _index(root).tensorflow
    scan.require_tree(facts, root, known.release(), "selection")
    (root / "tensorflow/core/kernels/BUILD").write_text("# is not C++")
    scan.require_tree(facts, root, known.release(), "selection")
    (root / "tensorflow/core/kernels/new_op.cc").write_text("")
    with pytest.raises(InvalidInput, match="tree: the selection was created from other sources"):
        scan.require_tree(facts, root, known.release(), "selection")
    (root / "tensorflow/core/public/version.h").write_text("")
    with pytest.raises(
        InvalidInput, match="TensorFlow unknown, but the selection is for 9.8.7-rc1"
    ):
        scan.require_tree(facts, root, known.release(), "selection")


_NEON = """\
#include "tensorflow/core/framework/op_kernel.h"
#if defined(__ARM_NEON)
REGISTER_KERNEL_BUILDER(Name("Twice").Device(DEVICE_CPU), NeonOp);
#elif defined(__SSE2__)
REGISTER_KERNEL_BUILDER(Name("Twice").Device(DEVICE_CPU), SseOp);
#elif __has_feature(other)
REGISTER_KERNEL_BUILDER(Name("Twice").Device(DEVICE_CPU), OtherOp);
#endif
"""
_NEON_OP = "tensorflow/core/kernels/neon_op.cc"


def _classes(built: KernelIndex) -> list[str]:
    return [r.clazz for r in built.registrations if r.file == _NEON_OP]


@pytest.mark.parametrize("host", compilers.ALL)
@pytest.mark.parametrize(
    ("dump", "expected"),
    [
        ("#define __ARM_NEON 1\n#define __cplusplus 201703L\n", ["NeonOp"]),
        ("#define __SSE2__ 1\n#define __SSE2__ 1\n", ["SseOp"]),
        ("#define __clang__ 1\n#define f(x) (x)\n", []),
        ("#define __clang__ 1\n#define __has_feature(x) 1\n", ["OtherOp"]),
    ],
)
def test_target_macros_replace_those_of_the_host(
    tmp_path: Path, host: str, dump: str, expected: list[str]
) -> None:
    root = trees.write(tmp_path, {**trees.FILES, _NEON_OP: _NEON})
    settings = Settings(("A=1",), (host,), target.parse("some-board", dump, "dump"))
    built = index.parse(scan.make_index(root, known.release(), settings), "index")
    assert _classes(built) == expected
    assert built.tensorflow.target == "some-board"
    assert len([r for r in built.registrations if r.file == _TWICE]) == 3


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["aarch64-linux-gnu-g++"], ["NeonOp"]),
        (["clang++-19", "--target=aarch64-linux-android24"], ["NeonOp"]),
        (["clang++-19", "--target=arm64-apple-ios13"], ["NeonOp"]),
        (["clang++-19", "--target=x86_64-linux-gnu"], ["SseOp"]),
    ],
    ids=" ".join,
)
def test_macros_of_real_compilers(tmp_path: Path, command: list[str], expected: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    dump = subprocess.run(
        [*command, "-dM", "-E", "-x", "c++", "-std=c++17", "/dev/null"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    root = trees.write(tmp_path, {**trees.FILES, _NEON_OP: _NEON})
    settings = _settings(target=target.parse("board", dump, "dump"))
    built = index.parse(scan.make_index(root, known.release(), settings), "index")
    assert _classes(built) == expected
    if platform.machine() == "x86_64":
        assert _classes(_index(root)) == ["SseOp"]


def test_defines_override_target_macros(tmp_path: Path) -> None:
    source = _NEON.replace("defined(__ARM_NEON)", "VALUE == 1").replace(
        "defined(__SSE2__)", "OTHER"
    )
    root = trees.write(tmp_path, {**trees.FILES, _NEON_OP: source})
    dump = target.parse("board", "#define VALUE 0\n#define OTHER 1\n", "dump")
    for defines, expected in [(["VALUE=1"], "NeonOp"), ([], "SseOp"), (["OTHER=1"], "SseOp")]:
        built = index.parse(
            scan.make_index(root, known.release(), _settings(*defines, target=dump)), "index"
        )
        assert _classes(built) == [expected]


def test_each_target_has_an_index_of_its_own(tmp_path: Path, preprocessed: list[str]) -> None:
    root = trees.write(tmp_path, {**trees.FILES, _NEON_OP: _NEON})
    arm = _settings(target=target.parse("arm", "#define __ARM_NEON 1", "dump"))
    sse = _settings(target=target.parse("sse", "#define __SSE2__ 1", "dump"))
    first = [scan.make_index(root, known.release(), settings) for settings in (arm, sse)]
    assert first[0] != first[1]
    preprocessed.clear()
    assert [scan.make_index(root, known.release(), settings) for settings in (arm, sse)] == first
    assert preprocessed == []


def test_custom_op_for_another_target(tmp_path: Path) -> None:
    root = trees.write(tmp_path / "tree")
    source = (
        trees.write(tmp_path / "app", {"mine.cc": _CUSTOM, "mine.h": _CUSTOM_HEADER}) / "mine.cc"
    )
    arm = _settings(target=target.parse("arm", "#define __ARM_NEON 1", "dump"))
    built = index.parse(scan.make_index(root, known.release(), arm), "index")
    assert scan.with_custom_ops(built, root, known.release(), arm, [source]).op("Mine") is not None
    with pytest.raises(InvalidInput, match="the index is for the target arm, not for host"):
        scan.with_custom_ops(built, root, known.release(), _settings(), [source])


def test_unresolved_registrations_are_recorded(tmp_path: Path) -> None:
    odd = """#include "tensorflow/core/framework/op_kernel.h"
    REGISTER_KERNEL_BUILDER(Name(kSomewhere).Device(DEVICE_CPU), A);
    REGISTER_OP("Odd").Attr("T: strange");
    REGISTER_OP_GRADIENT(kElsewhere, B);
    """
    built = _index(trees.write(tmp_path, {**trees.FILES, "tensorflow/core/kernels/odd_op.cc": odd}))
    assert [(u.line, u.why.partition(":")[0]) for u in built.unresolved] == [
        (2, "kernel kSomewhere"),
        (3, 'op "Odd"'),
        (4, "gradient of kElsewhere"),
    ]


def test_a_malformed_registration(tmp_path: Path) -> None:
    broken = """#include "tensorflow/core/framework/op_kernel.h"
    REGISTER_KERNEL_BUILDER(Name("A").Device(DEVICE_CPU) + 1, A);"""
    root = trees.write(tmp_path, {**trees.FILES, "tensorflow/core/kernels/broken_op.cc": broken})
    with pytest.raises(InvalidInput, match="broken_op.cc:2: kernel registration cannot be parsed"):
        _index(root)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('REGISTER_KERNEL_BUILDER(Name("A") + 1, A);', ":2: kernel registration cannot be parsed"),
        ('void F() { TF_NewKernelBuilder("A", "CPU"', ": a registration through the C API cannot"),
    ],
    ids=["macro", "C API"],
)
def test_a_malformed_custom_op(text: str, message: str, tmp_path: Path) -> None:
    root = trees.write(tmp_path / "tree")
    good, broken = tmp_path / "good.cc", tmp_path / "broken.cc"
    good.write_text(trees.FILES[_TWICE].replace("Twice", "Thrice"))
    broken.write_text(f'#include "tensorflow/core/framework/op_kernel.h"\n{text}')
    with pytest.raises(InvalidInput) as refused:
        _index(root, custom_ops=[good, broken])
    assert str(refused.value).startswith(f"{broken}{message}")


def test_a_source_that_cannot_be_preprocessed(tmp_path: Path) -> None:
    broken = "#if 1\nREGISTER_OP("
    root = trees.write(tmp_path, {**trees.FILES, "tensorflow/core/kernels/broken_op.cc": broken})
    with pytest.raises(InvalidInput, match="preprocessor failed:(?s:.*)broken_op.cc"):
        _index(root)


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = trees.write(tmp_path)
    with pytest.raises(InvalidInput, match="gone-compiler: no such command"):
        scan.make_index(root, known.release(), Settings((), ("gone-compiler",)))
    with pytest.raises(InvalidInput, match="cannot be run: No such file"):
        preprocess.run(Settings((), ("/gone/compiler",)), tmp_path, [])
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InvalidInput, match="no C\\+\\+ compiler was found"):
        find_compiler({})
    assert find_compiler({"CXX": "ccache g++"}) == ("ccache", "g++")


def test_a_damaged_cache_is_ignored(tmp_path: Path) -> None:
    root = trees.write(tmp_path)
    first = scan.make_index(root, known.release(), _settings())
    for file in (tmp_path / "cache").rglob("*.json"):
        if file.parent.name in ("records", "seen", "memo"):
            file.write_text("{")
        else:
            file.unlink()
    assert scan.make_index(root, known.release(), _settings()) == first
