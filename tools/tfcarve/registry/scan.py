"""Makes the kernel index of a source tree: the one entry point of this package."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from tfcarve.errors import BadInput
from tfcarve.registry import cache, helpers, preprocess, records, resolve, shadow, values
from tfcarve.registry import tree as trees
from tfcarve.registry.index import (
    IndexFile,
    KernelIndex,
    OpDefinition,
    Registration,
    TensorflowFacts,
)
from tfcarve.registry.records import Records
from tfcarve.registry.shadow import Shadow
from tfcarve.registry.tree import Tree

Progress = Callable[[str, int, int], None]

# A source without any of these words registers nothing: all registration macros
# have REGISTER in their name or are handed on through TF_CALL_….
_CANDIDATE = re.compile(
    r'REGISTER|TF_CALL_|TF_NewKernelBuilder|TF_NewOpDefinitionBuilder|#\s*include\s+"[^"]+\.(?:cc|inc)"'
)
_BATCH = 16
# What `numbertype` and its like are; up to 1.5 the source says it, later the header.
_TYPES_FILES = ("tensorflow/core/framework/types.h", "tensorflow/core/framework/types.cc")
# Where the constants that registrations use are defined, beside the headers.
_CONSTANTS_OF_CUSTOM_OPS = (
    "tensorflow/core/framework/types.cc",
    "tensorflow/core/framework/common_shape_fns.cc",
    "tensorflow/core/util/padding.cc",
    "tensorflow/core/util/tensor_format.cc",
)
_TYPES_SOURCE = "tfcarve_types.cc"


@dataclass(frozen=True)
class Settings:
    """What decides an index besides the tree's files."""

    defines: tuple[str, ...]
    compiler: tuple[str, ...]


def find_compiler(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the C++ compiler's command: CXX, else g++ or clang++ on PATH.

    Raises BadInput where there is none.
    """
    named = environment.get("CXX", "").split()
    if named:
        return tuple(named)
    for name in ("g++", "clang++", "c++"):
        found = shutil.which(name)
        if found:
            return (found,)
    raise BadInput(
        "no C++ compiler: the index needs a preprocessor: install g++ or name one with CXX"
    )


def _compiler_stamp(compiler: Sequence[str]) -> str:
    place = shutil.which(compiler[0])
    if place is None:
        raise BadInput(
            f"{compiler[0]}: no such command: the index needs a C++ preprocessor: set CXX"
        )
    real = os.path.realpath(place)
    status = os.stat(real)
    return f"{real} {status.st_size} {status.st_mtime_ns} {' '.join(compiler[1:])}"


def _quiet(what: str, done: int, total: int) -> None:
    del what, done, total


def _types_files(tree: Tree) -> list[str]:
    return [p for p in _TYPES_FILES if p in tree.files]


def _closure(path: str, shadows: Mapping[str, Shadow]) -> list[str]:
    seen = {path}
    todo = [path]
    while todo:
        for include in shadows[todo.pop()].includes:
            if include not in seen:
                seen.add(include)
                todo.append(include)
    return sorted(seen)


def _make_shadows(tree: Tree, texts: dict[str, str], sources: Iterable[str]) -> dict[str, Shadow]:
    """Makes the shadows of `sources` and of all that they include; fills `texts` with what was read."""
    made: dict[str, Shadow] = {p: Shadow(text, ()) for p, text in shadow.GENERATED.items()}
    todo = list(sources)
    while todo:
        path = todo.pop()
        if path in made:
            continue
        if path not in texts:
            texts[path] = tree.read(path)

        def find(written: str, includer: str = path) -> str | None:
            return written if written in shadow.GENERATED else tree.find(includer, written)

        made[path] = shadow.make(texts[path], not shadow.is_header(path), find)
        todo += made[path].includes
    return made


def _write_shadows(folder: Path, shadows: Mapping[str, Shadow], paths: Iterable[str]) -> None:
    folders: set[str] = set()
    for path in paths:
        place = f"{folder}/{path}"
        parent = place.rpartition("/")[0]
        if parent not in folders:
            os.makedirs(parent, exist_ok=True)
            folders.add(parent)
        with open(place, "w", encoding="utf-8", newline="") as stream:
            stream.write(shadows[path].text)
    (folder / preprocess.PRELUDE_NAME).write_text(shadow.PRELUDE, encoding="utf-8")


_Record = TypeVar("_Record", Registration, OpDefinition)


def _as_given(records: Iterable[_Record], tree: Tree) -> tuple[_Record, ...]:
    """Returns `records` with the paths of custom ops as the user gave them."""
    return tuple(
        replace(r, file=tree.custom[r.file]) if r.file in tree.custom else r for r in records
    )


def _preprocess(
    tree: Tree,
    shadows: Mapping[str, Shadow],
    sources: Sequence[str],
    settings: Settings,
    progress: Progress,
) -> tuple[dict[str, Records], dict[str, tuple[str, ...]]]:
    """Returns the records of each of `sources`, and the tree's sets of types."""
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        types = [shadow.make(tree.read(p), True, partial(tree.find, p)) for p in _types_files(tree)]
        included = {i for t in types for i in t.includes}
        needed = {p for s in (*sources, *included) for p in _closure(s, shadows)}
        _write_shadows(folder, shadows, needed)
        (folder / _TYPES_SOURCE).write_text("\n".join(t.text for t in types), encoding="utf-8")
        batches = [sources[i : i + _BATCH] for i in range(0, len(sources), _BATCH)]
        found: dict[str, Records] = {}
        with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
            sets = pool.submit(
                preprocess.run, settings.compiler, settings.defines, folder, [_TYPES_SOURCE]
            )

            def work(batch: Sequence[str]) -> dict[str, Records]:
                return records.parse(
                    preprocess.run(settings.compiler, settings.defines, folder, batch)
                )

            done = 0
            try:
                for batch, part in zip(batches, pool.map(work, batches), strict=True):
                    done += len(batch)
                    progress("reading registrations", done, len(sources))
                    found.update(part)
            except records.ParseError as error:
                raise BadInput(str(error)) from None
            return found, resolve.type_sets(sets.result())


def _scan(
    tree: Tree,
    texts: dict[str, str],
    settings: Settings,
    facts: TensorflowFacts,
    progress: Progress,
) -> KernelIndex:
    sources = [s for s in tree.sources if _CANDIDATE.search(texts[s])]
    progress("making shadows of headers", 0, len(sources))
    shadows = _make_shadows(tree, texts, [*sources, *_types_files(tree)])
    hashes = {path: cache.digest([path, made.text]) for path, made in shadows.items()}
    keys = {s: cache.digest(hashes[p] for p in _closure(s, shadows)) for s in sources}
    pack = cache.digest(
        [*settings.defines, _compiler_stamp(settings.compiler), cache.code_digest()]
    )
    kept = cache.load_records(pack)
    missing = [s for s in sources if keys[s] not in kept]
    fresh, sets = _preprocess(tree, shadows, missing, settings, progress)
    rows = {keys[s]: kept[keys[s]] for s in sources if keys[s] in kept}
    rows.update({keys[s]: cache.records_to_json(fresh[s]) for s in missing})
    if missing:
        cache.save_records(pack, rows)
    everything = [
        fresh[s] if s in fresh else cache.records_from_json(rows[keys[s]]) for s in sources
    ]
    progress("working out what they mean", len(sources), len(sources))
    table = values.constants(resolve.expressions(everything), texts)
    made = resolve.resolve(everything, values.Resolver(table), sets)
    registrations, ops, gradients, unresolved = made
    units = sorted({r.file for r in registrations} | {o.file for o in ops})
    return KernelIndex(
        facts,
        _as_given(registrations, tree),
        _as_given(ops, tree),
        tuple(gradients),
        helpers.helper_sources(tree.root, units),
        tuple(unresolved),
    )


def _kept(seen_key: str, stats: str) -> bytes | None:
    """Returns the kept index of a tree whose files still have the `stats` of then, or None."""
    seen = cache.read("seen", seen_key)
    if seen is None:
        return None
    try:
        known = json.loads(seen)
    except ValueError:
        return None
    same = isinstance(known, dict) and known.get("stats") == stats
    return cache.read("index", str(known.get("index"))) if same else None


def make_index(
    tensorflow: Path,
    settings: Settings,
    custom_ops: Iterable[Path] = (),
    progress: Progress = _quiet,
) -> bytes:
    """Makes the index of the tree `tensorflow`, or takes it from the cache.

    Args:
      tensorflow: the folder that holds `tensorflow/`.
      settings: the defines of the real compile, and the compiler.
      custom_ops: sources outside the tree that register ops or kernels too.
      progress: called with what is done, how many are done, how many there are.
    Returns: index.json's content.
    Raises BadInput where the tree or a source can't be read.
    """
    tree = trees.load(tensorflow, custom_ops)
    common = [
        *settings.defines,
        _compiler_stamp(settings.compiler),
        cache.code_digest(),
        *sorted(tree.custom.values()),
    ]
    stats = cache.digest(f"{p} {s.size} {s.mtime_ns}" for p, (_, s) in sorted(tree.files.items()))
    seen_key = cache.digest([os.path.realpath(tensorflow), *common])
    kept = _kept(seen_key, stats)
    if kept is not None:
        return kept
    progress("reading the tree", 0, len(tree.files))
    texts = {path: tree.read(path) for path in tree.files}
    code = sorted(p for p in texts if p.startswith(("tensorflow/", "tsl/", "third_party/")))
    sources_only = [
        p for p in code if not p.endswith(("BUILD", "BUILD.bazel", ".bzl", ".upstream"))
    ]
    sha = cache.digest(part for p in sources_only for part in (p, texts[p]))
    index_key = cache.digest([*common, *(part for p in sorted(texts) for part in (p, texts[p]))])
    result = cache.read("index", index_key)
    if result is None:
        facts = TensorflowFacts(trees.version(tree), sha, tuple(sorted(settings.defines)))
        result = _scan(tree, texts, settings, facts, progress).to_json()
        cache.write("index", index_key, result)
    cache.write("seen", seen_key, json.dumps({"stats": stats, "index": index_key}).encode())
    return result


def with_custom_ops(
    index: IndexFile,
    tensorflow: Path,
    settings: Settings,
    custom_ops: Iterable[Path],
    progress: Progress = _quiet,
) -> IndexFile:
    """Returns `index` with what the sources `custom_ops` register added.

    Only those sources are preprocessed; the tree gives the macros. Raises
    BadInput where the tree is another than the index's or a source can't be read.
    """
    tree = trees.load(tensorflow, custom_ops)
    version = trees.version(tree)
    if version != index.tensorflow.version:
        raise BadInput(
            f"{tensorflow}: TensorFlow {version}, but the index is of {index.tensorflow.version}: give the same"
        )
    sources = sorted(tree.custom)
    texts: dict[str, str] = {}
    shadows = _make_shadows(tree, texts, [*sources, *_types_files(tree)])
    found, sets = _preprocess(tree, shadows, sources, settings, progress)
    everything = [found[s] for s in sources]
    texts.update((p, tree.read(p)) for p in _CONSTANTS_OF_CUSTOM_OPS if p in tree.files)
    table = values.constants(resolve.expressions(everything), texts)
    registrations, ops, _, unresolved = resolve.resolve(everything, values.Resolver(table), sets)
    return index.extended(_as_given(registrations, tree), _as_given(ops, tree), unresolved)
