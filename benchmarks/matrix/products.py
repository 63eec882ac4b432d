"""Speed and code size of products of float matrices: tfcarve's, Eigen's and XNNPACK's.

    PYTHONPATH=tools:. python -m benchmarks.matrix.products

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu (for Eigen). XNNPACK is downloaded by apt
as Debian's source package. Writes PRODUCTS.md: GFLOPS on this machine (CPU time, in turns, the minimum of the rounds)
and, if Debian's cross compiler and qemu-user are installed, instructions on arm64. Takes ten minutes.
"""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.matrix import command, products_table
from benchmarks.matrix.command import Benchmark
from benchmarks.matrix.products_table import Candidate, Counted, Counts, Shape, Times
from bootstrap.console import BootstrapError
from bootstrap.fetch_source import from_cache, from_debian
from bootstrap.pins import Archive, Pin
from bootstrap.unpack import unpack
from tfcarve.errors import InvalidInput
from tfcarve.objfile import elf
from tfcarve.releases import known

_BENCHMARK = Benchmark(
    "products", str(__doc__), "Products of float matrices", "PRODUCTS.md", rounds=30
)
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
_TENSORFLOW = known.release().version

# The five shapes of Inception v3 with the most multiply-adds (44 % of all), a convolution with few pixels, and the last
# layer for one image.
SHAPES = (
    Shape(5041, 192, 720),
    Shape(289, 192, 1344),
    Shape(289, 192, 768),
    Shape(21609, 64, 288),
    Shape(1225, 96, 864),
    Shape(64, 448, 2048),
    Shape(1, 1000, 2048),
)


def _pin(name: str, file: str, prefix: str, sha256: str) -> Pin:
    archive = Archive(file, sha256, prefix, {"suite": "trixie", "package": name})
    return Pin(name, "", {"debian": archive}, ())


XNNPACK = _pin(
    "xnnpack",
    "xnnpack_0.0~git20241108.4ea82e5.orig.tar.xz",
    "",
    "90bde2caef0f880f627bab0dc805a86c4b8070cd98e3243db3046ab3f3be1a99",
)
# For one header, which XNNPACK's headers include.
PTHREADPOOL = _pin(
    "pthreadpool",
    "pthreadpool_0.0~git20240616.560c60d.orig.tar.xz",
    "pthreadpool-0.0~git20240616.560c60d",
    "4cc3cbd933b28131d2a34edc54f76af9fb41bc490af5eae1a5bd3cd07ea90708",
)


@dataclass(frozen=True)
class MicroKernel:
    """A pair of XNNPACK's micro-kernels: one for many rows, one for a single row.

    Attributes:
      rows, columns: of a tile.
      variant, one: the ends of their file names, after "minmax-".
      options: of the compiler.
    """

    rows: int
    columns: int
    variant: str
    one: str
    options: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Its name in products_xnnpack.cc."""
        return f"{self.variant}-{self.rows}x{self.columns}"

    def names(self) -> tuple[str, str]:
        """Returns the file names of both, without suffixes."""
        return (
            f"f32-gemm-{self.rows}x{self.columns}-minmax-{self.variant}",
            f"f32-gemm-1x{self.columns}-minmax-{self.one}",
        )

    def functions(self) -> tuple[str, str]:
        """Returns the function names of both."""
        many, one = (n.replace("-", "_") for n in (self.variant, self.one))
        start = "xnn_f32_gemm_minmax_ukernel"
        return f"{start}_{self.rows}x{self.columns}__{many}", f"{start}_1x{self.columns}__{one}"


@dataclass(frozen=True)
class Target:
    """A target of the compiler.

    Attributes:
      compiler: the name of a C++ compiler.
      options: for all sources.
      tfcarve: the instruction sets of tools/runtime/math.
      eigen: for each way to compile Eigen's product: its name in the table, the path, and options.
      xnnpack: micro-kernels.
      clang: other compilers for the micro-kernels: g++ spills registers in some of them.
    """

    compiler: str
    options: tuple[str, ...]
    tfcarve: tuple[str, ...]
    eigen: tuple[tuple[str, str, tuple[str, ...]], ...]
    xnnpack: tuple[MicroKernel, ...]
    clang: tuple[str, ...] = ()


X86_64 = Target(
    "g++",
    (),
    ("baseline", "avx2", "avx512"),
    (
        ("-Os, SSE2", "baseline", ()),
        ("-O2, SSE2", "baseline", ("-O2",)),
        ("-O2 -mavx2 -mfma", "avx2", ("-O2", "-mavx2", "-mfma")),
        ("-O2 -march=x86-64-v4", "v4", ("-O2", "-march=x86-64-v4")),
    ),
    (
        MicroKernel(4, 8, "sse-load1", "sse-load1"),
        # XNNPACK's choice for this CPU, and a larger tile.
        MicroKernel(5, 16, "fma3-broadcast", "fma3-broadcast", ("-mavx", "-mfma")),
        MicroKernel(6, 16, "fma3-broadcast", "fma3-broadcast", ("-mavx", "-mfma")),
        # A narrow tile, and XNNPACK's choice.
        MicroKernel(7, 16, "avx512f-broadcast", "avx512f-broadcast", ("-mavx512f",)),
        MicroKernel(7, 32, "avx512f-broadcast", "avx512f-broadcast", ("-mavx512f",)),
    ),
    ("clang++-19",),
)
ARM64 = Target(
    "aarch64-linux-gnu-g++",
    ("-mcpu=cortex-a53",),
    ("neon",),
    (
        ("-Os", "baseline", ("-DEIGEN_NEON_GEBP_NR=4",)),
        ("-O2", "baseline", ("-DEIGEN_NEON_GEBP_NR=4", "-O2")),
    ),
    (
        MicroKernel(6, 8, "aarch64-neonfma-lane-ld128", "aarch64-neonfma-lane-ld128"),
        MicroKernel(6, 8, "asm-aarch64-neonfma-cortex-a53", "asm-aarch64-neonfma-cortex-a53"),
    ),
)
_ARM64_LIBRARIES = Path("/usr/aarch64-linux-gnu")
ARM64_LANES = 4
# More rows take more of the same instructions, and qemu is slow.
ARM64_SHAPES = tuple(replace(shape, rows=min(shape.rows, 640)) for shape in SHAPES)

# The functions for products in the namespace of an instruction set (kernels_impl.h).
_PRODUCT_FUNCTIONS = "Tile|Pack|PackTransposed|CombineRows|DotRows|DotSomeRows"
_XNNPACK_PACKING = "xnn_pack_f32_gemm_gio_w"
# Only one of XNNPACK's sources logs.
_XNNPACK_OPTIONS = ("-O2", "-DNDEBUG", "-DXNN_LOG_LEVEL=0", "-ffunction-sections", "-fPIC", "-w")


@dataclass(frozen=True)
class Built:
    """A candidate and its product: a shared object and the name of the path in it."""

    candidate: Candidate
    library: Path
    path: str


def starlark_values(text: str, **loaded: Any) -> dict[str, Any]:
    """Evaluates a .bzl file of this repository that only defines values; `loaded` are the values that it loads."""
    values: dict[str, Any] = {
        "load": lambda *_: None,
        "visibility": lambda *_: None,
        "Label": lambda _: SimpleNamespace(workspace_root="external"),
        **loaded,
    }
    exec(compile(text, "bzl", "exec"), values)
    return values


def library_copts() -> dict[str, Any]:
    """Returns the values of copts.bzl: the compiler options of libraries."""
    text = (ROOT / "rules/private/cc/copts.bzl").read_text()
    values = starlark_values(text)
    tensorflow = values["tensorflow_copts"](defines=list(known.release().defines), root="external")
    return {**values, "TENSORFLOW_COPTS": tensorflow}


def code_bytes(file: Path, sections: str = "") -> int:
    """Returns the bytes of machine code of an object file, in sections whose names match `sections`."""
    opened = elf.open_elf(file.read_bytes(), str(file))
    executable = 4  # SHF_EXECINSTR
    return sum(
        section["sh_size"]
        for section in opened.iter_sections()
        if section["sh_flags"] & executable and re.search(sections, section.name)
    )


def compiled(target: Target, source: Path, options: Sequence[str], file: Path) -> Path:
    """Compiles a source to an object file, which is returned; raises CalledProcessError."""
    compiler, standard = target.compiler, ["-std=c++17"]
    if source.suffix != ".cc":
        compiler = compiler.replace("clang++", "clang").replace("g++", "gcc")
        standard = ["-std=gnu99"] if source.suffix == ".c" else []
    argv = [compiler, *standard, *target.options, *options, "-c", str(source), "-o", str(file)]
    subprocess.run(argv, check=True)
    return file


def linked(target: Target, objects: Sequence[Path], library: Path) -> Path:
    """Links objects to a shared object, which is returned; raises CalledProcessError."""
    argv = [target.compiler, "-shared", "-Wl,--gc-sections", "-Wl,-z,defs"]
    subprocess.run([*argv, *map(str, objects), "-o", str(library)], check=True)
    return library


def tfcarve_floats(target: Target, folder: Path) -> list[Built]:
    """Compiles tfcarve's products of floats."""
    copts = library_copts()
    math = ROOT / "tools/runtime/math"
    options = [*copts["MATH_COPTS"], "-fPIC", f"-I{ROOT}"]
    product = compiled(target, math / "product.cc", options, folder / "product.o")
    loops = [*copts["LOOPS_COPTS"], "-fPIC", f"-I{ROOT}"]
    kernels = compiled(target, math / "kernels.cc", loops, folder / "kernels.o")
    call = compiled(target, HERE / "products_tfcarve.cc", options, folder / "tfcarve.o")
    library = linked(target, [product, kernels, call], folder / "tfcarve.so")

    def built(path: str) -> Built:
        functions = rf"\dtfcarve4math{len(path)}{path}\d+({_PRODUCT_FUNCTIONS})[EI]"
        code = code_bytes(product) + code_bytes(kernels, functions)
        return Built(Candidate(f"tfcarve, {path}", code), library, path)

    return [built(path) for path in target.tfcarve]


def _eigen(target: Target, folder: Path, tensorflow: Path) -> list[Built]:
    overrides = ROOT / "third_party/tensorflow/overrides"
    common = [*library_copts()["TENSORFLOW_COPTS"], "-fPIC"]
    common += [f"-I{overrides / 'headers'}", f"-I{overrides / 'kernels'}"]
    common += [f"-I{ROOT}", f"-I{tensorflow / 'include'}"]

    def built(number: int, name: str, path: str, options: Sequence[str]) -> Built:
        file = folder / f"eigen{number}.o"
        compiled(target, HERE / "products_eigen.cc", [*common, *options], file)
        library = linked(target, [file], file.with_suffix(".so"))
        return Built(Candidate(f"Eigen, {name}", code_bytes(file)), library, path)

    return [built(number, *each) for number, each in enumerate(target.eigen)]


def _xnnpack(target: Target, folder: Path, tree: Path) -> list[Built]:
    folder.mkdir()
    options = [*_XNNPACK_OPTIONS, f"-I{tree / 'src'}", f"-I{tree / 'include'}"]
    packing = folder / "packing.o"
    compiled(target, tree / "src/reference/packing.cc", options, packing)
    files: dict[str, Path] = {}
    for kernel in target.xnnpack:
        for name in kernel.names():
            ending = "S" if "-asm-" in name else "c"
            source = tree / "src/f32-gemm/gen" / f"{name}.{ending}"
            files[name] = folder / f"{name}.o"
            compiled(target, source, [*options, *kernel.options], files[name])
    table = ",".join(
        f'{{"{k.path}", {k.rows}, {k.columns}, {", ".join(k.functions())}}}' for k in target.xnnpack
    )
    named = [f"-DTFCARVE_KERNELS={table}"]
    named += [f"-DTFCARVE_FIRST_KERNEL={target.xnnpack[0].functions()[0]}"]
    call = folder / "xnnpack.o"
    extra = ["-fvisibility=hidden", f"-I{ROOT}"]
    compiled(target, HERE / "products_xnnpack.cc", [*options, *extra, *named], call)
    library = linked(target, [call, packing, *files.values()], folder / "xnnpack.so")
    shared = code_bytes(call) + code_bytes(packing, rf"\.text\.{_XNNPACK_PACKING}$")

    def built(kernel: MicroKernel) -> Built:
        code = shared + sum(code_bytes(files[name]) for name in kernel.names())
        return Built(
            Candidate(f"XNNPACK, {kernel.path}, {target.compiler}", code), library, kernel.path
        )

    return [built(kernel) for kernel in target.xnnpack]


def _xnnpack_tree(folder: Path) -> Path | None:
    """Returns XNNPACK's sources with the header that they include; None, with a message, if the download fails."""
    try:
        for pin in (XNNPACK, PTHREADPOOL):
            try:
                path, archive = from_cache(pin)
            except BootstrapError:
                path, archive = from_debian(pin)
            unpack(path, folder, archive.strip_prefix, ("include", "src"))
    except BootstrapError as error:
        print(f"products: without XNNPACK: {error}", file=sys.stderr)
        return None
    return folder


def measuring_program(target: Target, folder: Path, *options: str) -> Path:
    """Compiles products.cc in a new folder; returns the program."""
    folder.mkdir()
    program = folder / "products"
    flags = [*target.options, *options, "-std=c++17", "-O2", "-Wall", f"-I{ROOT}"]
    source = str(HERE / "products.cc")
    subprocess.run([target.compiler, *flags, source, "-ldl", "-o", str(program)], check=True)
    return program


def _build(
    target: Target, folder: Path, tensorflow: Path, xnnpack: Path | None
) -> tuple[Path, list[Built]]:
    """Compiles the program and the candidates."""
    program = measuring_program(target, folder)
    built = tfcarve_floats(target, folder) + _eigen(target, folder, tensorflow)
    if xnnpack:
        for compiler in (target.compiler, *target.clang):
            if shutil.which(compiler):
                built += _xnnpack(replace(target, compiler=compiler), folder / compiler, xnnpack)
    return program, built


def _argv(
    program: Path, rounds: int, packs: int, shapes: Sequence[Shape], built: Sequence[Built]
) -> list[str]:
    paths = [part for each in built for part in (str(each.library), each.path)]
    return [str(program), str(rounds), str(packs), *map(str, shapes), "--", *paths]


def measured_times(program: Path, built: Sequence[Built], rounds: int) -> Times:
    """Measures the products of SHAPES in turns; raises WrongProduct."""
    argv = _argv(program, rounds, min(rounds, 10), SHAPES, built)
    output = subprocess.run(argv, check=True, text=True, stdout=subprocess.PIPE).stdout
    times = products_table.parse(output, SHAPES, [each.candidate for each in built])
    products_table.check(times, SHAPES)
    return times


class _Emulator:
    """Counts instructions of arm64 programs under qemu."""

    def __init__(self, folder: Path) -> None:
        source = ROOT / "tools/tfcarve/benchmark/count_instructions.c"
        self._plugin = folder / "count.so"
        self._log = folder / "log"
        # qemu 7.2 loads plugins of API version 1.
        options = ["-shared", "-fPIC", "-O2", "-DQEMU_PLUGIN_API=1"]
        subprocess.run(["gcc", *options, str(source), "-o", str(self._plugin)], check=True)

    def count(self, argv: Sequence[str]) -> tuple[int, str]:
        """Returns the number of executed instructions and the output of a program."""
        qemu = ["qemu-aarch64", "-L", str(_ARM64_LIBRARIES), "-plugin", str(self._plugin)]
        done = subprocess.run(
            [*qemu, "-d", "plugin", "-D", str(self._log), *argv],
            check=True,
            text=True,
            stdout=subprocess.PIPE,
        )
        return int(self._log.read_text().partition("instructions: ")[2]), done.stdout


def _counted(emulator: _Emulator, program: Path, built: Built, shape: Shape) -> Counted:
    """Returns the instructions of a product and of packing: the difference that one more of each makes."""

    def run(rounds: int, packs: int) -> tuple[int, bool]:
        count, output = emulator.count(_argv(program, rounds, packs, [shape], [built]))
        times = products_table.parse(output, [shape], [built.candidate])
        products_table.check(times, [shape])
        return count, times[built.candidate][0].packed > 0

    once, is_packed = run(1, 1)
    again, _ = run(2, 1)
    packing = run(1, 2)[0] - once if is_packed else 0
    return Counted(again - once, packing)


def counted_instructions(program: Path, built: Sequence[Built], folder: Path) -> Counts:
    """Counts the instructions of products on arm64, under qemu; raises WrongProduct."""
    emulator = _Emulator(folder)
    return {
        each.candidate: [_counted(emulator, program, each, shape) for shape in ARM64_SHAPES]
        for each in built
    }


def has_arm64(module: str) -> bool:
    """Returns whether programs for arm64 can be compiled and run; prints a message of `module` if they cannot."""
    if shutil.which(ARM64.compiler) and shutil.which("qemu-aarch64"):
        return True
    print(
        f"{module}: without arm64: {ARM64.compiler} or qemu-aarch64 is not installed",
        file=sys.stderr,
    )
    return False


def tensorflow_folder() -> Path:
    """Returns the folder of the installed TensorFlow.

    Raises:
        InvalidInput: it is not installed or has another version.
    """
    try:
        found = importlib.metadata.distribution("tensorflow-cpu")
    except importlib.metadata.PackageNotFoundError:
        found = None
    if found is None or found.version != _TENSORFLOW:
        raise InvalidInput(f"tensorflow-cpu {_TENSORFLOW} is required, for Eigen: install it")
    return Path(str(found.locate_file("tensorflow")))


def _report(times: Times, counts: Counts | None) -> str:
    packed = max(sum(timing.packed for timing in row) for row in times.values())
    lines = [
        "Shapes are rows x columns x depth; for a convolution: pixels, output channels and the size of a patch. The first",
        "five have 44 % of Inception v3's multiply-adds. All results were compared with those of a plain loop.",
        "",
        "- tfcarve packs the right operand in each product, Eigen both operands. XNNPACK's right operand is packed once and",
        f'  stored: {packed:,} bytes for these shapes, in addition to the constants themselves. "all, with packing" includes',
        f"  packing in each product, for {len(SHAPES)} shapes once each.",
        "- code: what one path needs. tfcarve: product.cc and the path's functions for products, including transposed operands",
        "  and vectors. Eigen: the object of override_product.h's `Product<float>`, all layouts and vectors. XNNPACK: two",
        "  micro-kernels, packing for one layout and the loop around them, without its operators and its choice by CPU.",
        "",
        products_table.times_table(times, SHAPES),
    ]
    if counts is not None:
        lines += [
            "",
            "arm64, compiled for cortex-a53: instructions, counted under qemu, per instruction of four multiply-adds.",
            "At most 640 rows: more rows take more of the same instructions.",
            "",
            products_table.counts_table(counts, ARM64_SHAPES, ARM64_LANES),
        ]
    return "\n".join([*lines, ""])


def _measured(folder: Path, rounds: int) -> str:
    """Measures the products; returns the text of the page below its head."""
    tensorflow = tensorflow_folder()
    xnnpack = _xnnpack_tree(folder / "xnnpack")
    times = measured_times(*_build(X86_64, folder / "x86_64", tensorflow, xnnpack), rounds)
    counts = None
    if has_arm64(_BENCHMARK.module):
        built = _build(ARM64, folder / "arm64", tensorflow, xnnpack)
        counts = counted_instructions(*built, folder)
    return _report(times, counts)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 if a product is wrong; 2 if something is missing."""
    return command.run(_BENCHMARK, _measured, argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
