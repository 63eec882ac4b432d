"""Tests of what benchmarks.sources.overrides measures, without TensorFlow: commands, archives, messages, the page."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace
from selections import selection

from benchmarks.sources import override_builds, override_table, overrides, relink
from benchmarks.sources.override_builds import Compile, Exchange
from benchmarks.sources.override_table import Row
from benchmarks.sources.relink import CommandError
from demo.nested import NestedError
from tfcarve.releases import known
from tfcarve.size.link_line import VERSION, Command, LinkLine
from tfcarve.size.origin import CORE, Library

_OVERRIDES = tuple(
    f"-Ibazel-out/bin/external/tfcarve~/third_party/tensorflow{folder}/_virtual_includes/override_kernels"
    for folder in (f"/releases/{known.release().name}", "")
)
_COMPILE = Command(
    argv=(
        "gcc",
        *_OVERRIDES,
        "-isystem",
        "external/tfcarve~/tools/runtime/shims",
        "-isystem",
        "bazel-out/bin/external/tfcarve~/tools/runtime/shims",
        "-fmacro-prefix-map=external/tree/=",
        "-include",
        "tensorflow_headers.h",
        "-c",
        "SOURCE",
        "-o",
        "OUTPUT",
    ),
    output="OUTPUT",
    source="SOURCE",
)
_UNITS, _ARCHIVE = "parts/libunits.a", "core/libcore.a"
_CORE = "tensorflow/core/common_runtime/placer.cc"
_KERNEL = "tensorflow/core/kernels/relu_op.cc"
_HELPER = "tensorflow/core/kernels/transpose_functor_cpu.cc"


def _built(root: Path, compile_command: Command = _COMPILE) -> LinkLine:
    """A library of two archives: the units with the registrations, and the core, which they call."""
    link = Command(
        argv=(
            "gcc", "-shared", "-Wl,-z,defs", "-o", "OUTPUT",
            "-Wl,--whole-archive", _UNITS, "-Wl,--no-whole-archive", _ARCHIVE,
        ),
        output="OUTPUT",
        source=_UNITS,
    )  # fmt: skip
    return LinkLine(
        root=root,
        version=VERSION,
        platform="linux_x86_64",
        link=link,
        strip=Command(argv=("strip", "-o", "OUTPUT", "INPUT"), output="OUTPUT", source="INPUT"),
        compile=compile_command,
        hot_compile=compile_command,
        libraries=(Library(_UNITS, "library", None), Library(_ARCHIVE, "core", CORE)),
    )


def _object(folder: Path, name: str, text: str) -> Path:
    source, compiled = folder / f"{name}.c", folder / f"{name}.pic.o"
    source.write_text(text)
    subprocess.run(["gcc", "-fPIC", "-c", source, "-o", compiled], check=True)
    return compiled


@pytest.fixture(name="library")
def _library(tmp_path: Path) -> LinkLine:
    unit = _object(tmp_path, "unit", "int f(void); int g(void) { return f(); }")
    core = _object(tmp_path, "placer", "int f(void) { return 1; }")
    other = _object(tmp_path, "other", "int other(void) { return 2; }")
    for archive, objects in ((_UNITS, [unit]), (_ARCHIVE, [core, other])):
        (tmp_path / archive).parent.mkdir()
        subprocess.run(["ar", "qcsD", tmp_path / archive, *objects], check=True)
    return _built(tmp_path)


@pytest.fixture(name="with_optional")
def _with_optional(library: LinkLine, tmp_path: Path) -> LinkLine:
    """The library with an archive of two objects, each with a large array."""
    objects = [
        _object(
            tmp_path, name, f"char {name}_big[100000] = {{1}}; int {name}(void) {{ return 3; }}"
        )
        for name in ("used", "unused")
    ]
    archive = tmp_path / "liboptional.a"
    subprocess.run(["ar", "qcsD", archive, *objects], check=True)
    return relink.with_archive(library, archive)


def _exchange(library: str, member: str) -> Exchange:
    return Exchange(library, member, Compile(_COMPILE, ""), Compile(_COMPILE, ""))


def test_tensorflows_kernels_are_found_without_the_folder_of_overrides() -> None:
    found = override_builds.without_overrides(_COMPILE).argv
    assert found == tuple(word for word in _COMPILE.argv if word not in _OVERRIDES)


def test_a_command_without_that_folder_is_an_error() -> None:
    with pytest.raises(NestedError, match="override_kernels"):
        override_builds.without_overrides(override_builds.without_overrides(_COMPILE))


@pytest.mark.parametrize("folder", _OVERRIDES)
def test_a_command_without_one_of_the_folders_is_an_error(folder: str) -> None:
    argv = tuple(word for word in _COMPILE.argv if word != folder)
    with pytest.raises(NestedError, match="override_kernels"):
        override_builds.without_overrides(replace(_COMPILE, argv=argv))


def test_a_command_without_the_precompiled_header() -> None:
    found = override_builds.without_precompiled_header(_COMPILE)
    assert "tensorflow_headers.h" not in found.argv and "-include" not in found.argv
    with pytest.raises(NestedError, match=r"tensorflow_headers\.h"):
        override_builds.without_precompiled_header(found)


def test_a_source_of_the_core() -> None:
    built = _built(Path())
    exchange = override_builds.of_core_source(built, _CORE)
    assert (exchange.library, exchange.member) == (_ARCHIVE, "placer.pic.o")
    folder = "external/tfcarve~/third_party/tensorflow/overrides/core"
    assert exchange.override.source == f"{folder}/{_CORE}"
    assert exchange.tensorflow.source == f"external/tree/{_CORE}"


def test_a_kernel_source_is_compiled_as_its_unit(tmp_path: Path) -> None:
    chosen = selection([("Relu", "ReluOp<CPUDevice, float>", _KERNEL)])
    exchange = override_builds.of_kernel(_built(tmp_path), chosen, _KERNEL, tmp_path)
    assert exchange.member == "tensorflow__core__kernels__relu_op.pic.o"
    assert exchange.library == _UNITS
    assert exchange.override.source == exchange.tensorflow.source
    assert f"#include <{_KERNEL}>" in Path(exchange.override.source).read_text()
    assert set(_OVERRIDES) <= set(exchange.override.command.argv)
    assert set(_OVERRIDES).isdisjoint(exchange.tensorflow.command.argv)


def test_a_proto_is_generated_alone_and_from_tensorflows_tree() -> None:
    argv = [
        "protoc",
        "--cpp_out=lite:bazel-out/bin",
        "-Iexternal/tfcarve~/third_party/tensorflow/overrides/core",
        "-Iexternal/tree",
        "tensorflow/core/framework/cost_graph.proto",
        "tensorflow/core/framework/graph.proto",
    ]
    proto = "tensorflow/core/framework/cost_graph.proto"
    found = override_builds.tensorflow_protoc(argv, proto, Path("/new"))
    assert found == ["protoc", "--cpp_out=lite:/new", "-Iexternal/tree", proto]


def test_the_library_is_linked_with_another_object(with_optional: LinkLine, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    exchange = _exchange(_ARCHIVE, "placer.pic.o")
    old = tmp_path / "placer.pic.o"
    same = override_builds.stripped_size(with_optional, exchange, old, folder)
    assert same < 99_000
    large = "int f(void) { return 1; } char big[100000] = {1};"
    new = _object(folder, "placer", large)
    assert override_builds.stripped_size(with_optional, exchange, new, folder) > same + 99_000


def test_the_library_gets_the_optional_sources_that_it_refers_to(
    with_optional: LinkLine, tmp_path: Path
) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    exchange = _exchange(_ARCHIVE, "placer.pic.o")
    new = _object(folder, "placer", "int used(void); int f(void) { return used(); }")
    size = override_builds.stripped_size(with_optional, exchange, new, folder)
    assert 100_000 < size < 200_000


def test_a_member_that_does_not_exist_is_an_error(with_optional: LinkLine, tmp_path: Path) -> None:
    with pytest.raises(NestedError, match=r"libcore\.a has 0 members none\.pic\.o"):
        override_builds.stripped_size(
            with_optional, _exchange(_ARCHIVE, "none.pic.o"), tmp_path / "placer.pic.o", tmp_path
        )


def test_an_undefined_symbol_is_the_reason(with_optional: LinkLine, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    new = _object(folder, "placer", "int missing(void); int f(void) { return missing(); }")
    exchange = _exchange(_ARCHIVE, "placer.pic.o")
    with pytest.raises(CommandError, match="missing"):
        override_builds.stripped_size(with_optional, exchange, new, folder)


def test_a_source_that_does_not_compile(tmp_path: Path) -> None:
    source = tmp_path / "source.c"
    source.write_text("#include <no/such/header.h>\n")
    command = Command(
        argv=("gcc", "-c", "SOURCE", "-o", "OUTPUT"), output="OUTPUT", source="SOURCE"
    )
    one = Compile(command, str(source))
    with pytest.raises(CommandError) as raised:
        override_builds.compiled(one, tmp_path, tmp_path / "source.o")
    assert override_table.reason(str(raised.value)) == "no header `no/such/header.h`"
    source.write_text("int f;\n")
    assert override_builds.compiled(one, tmp_path, tmp_path / "source.o") > 0


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("a.cc:3:10: fatal error: fft2d.h: No such file or directory\n", "no header `fft2d.h`"),
        (
            "ld.lld: error: undefined symbol: tensorflow::Lookup(int)\n>>> referenced by\n",
            "undefined symbol `tensorflow::Lookup`",
        ),
        (
            "ld.lld: warning: x\nld.lld: error: duplicate symbol: f\n",
            "duplicate symbol `f`",
        ),
        ("a.cc:1:1: error: 'x' was not declared\n", "'x' was not declared"),
        ("a.cc:1:1: error: 'A' {aka 'B'} has no member 'c'\n", "'A' has no member 'c'"),
        ("killed\n", "no error message"),
    ],
)
def test_the_first_error_is_the_reason(output: str, expected: str) -> None:
    assert override_table.reason(output) == expected


def test_a_library_contains_the_core_and_the_selected_sources() -> None:
    chosen = selection([("Relu", "ReluOp<CPUDevice, float>", _KERNEL)], helpers=[_HELPER])
    paths = [_CORE, _KERNEL, _HELPER, "tensorflow/core/kernels/softmax_op.cc"]
    assert overrides.contained(chosen, paths) == [_CORE, _KERNEL, _HELPER]


def test_the_page() -> None:
    rows = [
        Row(_KERNEL, "net", 2.04, 31.26, 12345, ""),
        Row(_HELPER, "net", 1.0, 2.0, None, "does not link: undefined symbol `x`"),
        Row(_CORE, "net", 1.0, None, None, "does not compile: no header `y.h`"),
    ]
    page = override_table.text("a machine", "linux_x86_64", rows, ["absent.cc"])
    assert f"| `{_KERNEL}` | net | +12,345 | 2.0 | 31.3 |" in page
    assert f"| `{_HELPER}` | net | does not link: undefined symbol `x` | 1.0 | 2.0 |" in page
    assert f"| `{_CORE}` | net | does not compile: no header `y.h` | 1.0 | - |" in page
    assert page.endswith("Not in these libraries:\n\n- `absent.cc`\n")
    assert "Not in these libraries" not in override_table.text("a machine", "x", rows, [])


def test_an_unknown_override_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        overrides.main(["-o", "page.md", "--override", "tensorflow/core/kernels/none.cc"])
    assert "invalid choice" in capsys.readouterr().err


def test_a_failed_link_has_the_linkers_message(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"libunits\.a"):
        relink.link(_built(tmp_path), [_UNITS], {}, tmp_path)
