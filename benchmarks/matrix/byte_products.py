"""Speed and code size of products of bytes: tfcarve's and gemmlowp's, beside tfcarve's products of floats.

    PYTHONPATH=tools:. python -m benchmarks.matrix.byte_products

Run it in the repository's folder, with a Python that has the release's tensorflow-cpu (for gemmlowp). Writes
BYTE_PRODUCTS.md: billions of operations per second on this machine (CPU time, in turns, the minimum of the rounds) and, if
Debian's cross compiler and qemu-user are installed, instructions on arm64. Takes ten minutes: gemmlowp is slow.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.matrix import command, products, products_table
from benchmarks.matrix.command import Benchmark
from benchmarks.matrix.products import Built, Target
from benchmarks.matrix.products_table import Candidate, Counts, Times

_BENCHMARK = Benchmark(
    "byte_products", str(__doc__), "Products of bytes", "BYTE_PRODUCTS.md", rounds=10
)
_BYTES = "-DTFCARVE_BYTES"
# The functions of an instruction set in byte_kernels_impl.h.
_FUNCTIONS = "Tile|PackLeft|PackRight|Sum|IsSupported"
# gemmlowp has only plain loops for CPUs without SSE4, such as TensorFlow's mobile builds for x86-64 are for.
_GEMMLOWP: Mapping[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    products.X86_64.compiler: (
        ("-O2, SSE2: as in TensorFlow's mobile build", "baseline", ("-O2",)),
        ("-O2 -msse4.1", "sse4", ("-O2", "-msse4.1")),
        ("-O2 -mavx2", "avx2", ("-O2", "-mavx2")),
    ),
    products.ARM64.compiler: (("-O2", "baseline", ("-O2",)),),
}
_PATHS: Mapping[str, tuple[str, ...]] = {
    products.X86_64.compiler: ("baseline", "avx2", "vnni"),
    products.ARM64.compiler: ("neon", "dotprod"),
}


def _tfcarve(target: Target, folder: Path) -> list[Built]:
    copts, math = products.library_copts(), products.ROOT / "tools/runtime/math"
    common = ["-fPIC", _BYTES, f"-I{products.ROOT}"]
    objects = {
        source.stem: products.compiled(
            target, source, [*copts[flags], *common], folder / f"{source.stem}.o"
        )
        for flags, sources in (
            (
                "MATH_COPTS",
                (
                    math / "byte_product.cc",
                    math / "product.cc",
                    products.HERE / "products_bytes.cc",
                ),
            ),
            ("LOOPS_COPTS", (math / "byte_kernels.cc", math / "kernels.cc")),
        )
        for source in sources
    }
    library = products.linked(target, list(objects.values()), folder / "bytes.so")
    shared = products.code_bytes(objects["byte_product"])

    def built(path: str) -> Built:
        functions = rf"\dbytes_{path}\d+({_FUNCTIONS})[EI]"
        code = shared + products.code_bytes(objects["byte_kernels"], functions)
        return Built(Candidate(f"tfcarve, {path}", code), library, path)

    return [built(path) for path in _PATHS[target.compiler]]


def _gemmlowp(target: Target, folder: Path, tensorflow: Path) -> list[Built]:
    headers = tensorflow / "include/external/gemmlowp"
    common = [*products.library_copts()["TENSORFLOW_COPTS"], "-fPIC", _BYTES]
    common += [f"-I{products.ROOT}", f"-I{headers}"]

    def built(name: str, path: str, options: Sequence[str]) -> Built:
        file = folder / f"gemmlowp_{path}.o"
        source = products.HERE / "products_gemmlowp.cc"
        products.compiled(target, source, [*common, *options], file)
        library = products.linked(target, [file], file.with_suffix(".so"))
        return Built(Candidate(f"gemmlowp, {name}", products.code_bytes(file)), library, path)

    return [built(*each) for each in _GEMMLOWP[target.compiler]]


def _built(
    target: Target, folder: Path, tensorflow: Path
) -> tuple[tuple[Path, list[Built]], tuple[Path, list[Built]]]:
    """Compiles the program and the candidates: for bytes, then for floats."""
    folder.mkdir()
    of_bytes, of_floats = folder / "bytes", folder / "floats"
    byte_program = products.measuring_program(target, of_bytes, _BYTES)
    candidates = _tfcarve(target, of_bytes) + _gemmlowp(target, of_bytes, tensorflow)
    float_program = products.measuring_program(target, of_floats)
    return (byte_program, candidates), (float_program, products.tfcarve_floats(target, of_floats))


def _report(times: Sequence[Times], counts: Sequence[Counts] | None) -> str:
    byte_times, float_times = times
    lines = [
        "Products of unsigned bytes with zero points, with 32-bit sums, for the shapes of [PRODUCTS.md](PRODUCTS.md). All results",
        "were equal to those of a plain loop. The columns are billions of operations per second, two for each multiply-add.",
        "",
        "- Each product packs both operands. gemmlowp is called as TensorFlow's quantized kernels call it.",
        "- code: what one path needs. tfcarve: byte_product.cc and the path's functions; gemmlowp: the object.",
        "",
        products_table.times_table(byte_times, products.SHAPES),
        "",
        "tfcarve's products of floats on the same machine:",
        "",
        products_table.times_table(float_times, products.SHAPES),
    ]
    if counts is not None:
        lines += [
            "",
            "arm64, compiled for cortex-a53: instructions, counted under qemu, per four multiply-adds: bytes, then floats.",
            "At most 640 rows: more rows take more of the same instructions.",
        ]
        for each in counts:
            table = products_table.counts_table(each, products.ARM64_SHAPES, products.ARM64_LANES)
            lines += ["", table]
    return "\n".join([*lines, ""])


def _measured(folder: Path, rounds: int) -> str:
    """Measures the products; returns the text of the page below its head."""
    tensorflow = products.tensorflow_folder()
    built = _built(products.X86_64, folder / "x86_64", tensorflow)
    times = [products.measured_times(*each, rounds) for each in built]
    counts = None
    if products.has_arm64(_BENCHMARK.module):
        built = _built(products.ARM64, folder / "arm64", tensorflow)
        counts = [products.counted_instructions(*each, folder) for each in built]
    return _report(times, counts)


def main(argv: Sequence[str]) -> int:
    """Exit status 0; 1 if a product is wrong; 2 if something is missing."""
    return command.run(_BENCHMARK, _measured, argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
