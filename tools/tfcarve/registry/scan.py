"""Makes the kernel index of a source tree: the one entry point of this package."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.registry import cache, custom, preprocess, records, resolve, skeleton, values
from tfcarve.registry import tree as trees
from tfcarve.registry.gradients import with_ops
from tfcarve.registry.helpers import HelperSearch
from tfcarve.registry.index import IndexFile, KernelIndex, TensorflowFacts
from tfcarve.registry.memo import Memo
from tfcarve.registry.records import Records
from tfcarve.registry.skeleton_tree import SkeletonTree
from tfcarve.registry.tree import Texts, Tree
from tfcarve.releases import known

Progress = Callable[[str, int, int], None]

# A source without any of these words registers nothing, unless it includes one that does: all registration
# macros have REGISTER in their name or are handed on through TF_CALL_…. XLA and Grappler have registries of
# their own; the preprocessor takes longer to start than to read a source, so theirs are not given to it.
_CANDIDATE = re.compile(
    r"REGISTER(?!_XLA_|_GRAPH_OPTIMIZER)|TF_CALL_|TF_NewKernelBuilder|TF_NewOpDefinitionBuilder"
)
_INCLUDES_SOURCE = re.compile(r'#\s*include\s+"([^"]+\.(?:cc|inc))"')
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

    Raises InvalidInput where there is none.
    """
    named = environment.get("CXX", "").split()
    if named:
        return tuple(named)
    for name in ("g++", "clang++", "c++"):
        found = shutil.which(name)
        if found:
            return (found,)
    raise InvalidInput(
        "no C++ compiler: the index needs a preprocessor: install g++ or name one with CXX"
    )


def _compiler_stamp(compiler: Sequence[str]) -> str:
    place = shutil.which(compiler[0])
    if place is None:
        raise InvalidInput(
            f"{compiler[0]}: no such command: the index needs a C++ preprocessor: set CXX"
        )
    real = os.path.realpath(place)
    status = os.stat(real)
    return f"{real} {status.st_size} {status.st_mtime_ns} {' '.join(compiler[1:])}"


def _quiet(what: str, done: int, total: int) -> None:
    del what, done, total


def _types_files(tree: Tree) -> list[str]:
    return [p for p in _TYPES_FILES if p in tree.files]


def _in_source(source: str, tree: Tree, why: str) -> str:
    """Returns a message about a source, which may name the place in it itself."""
    given = tree.custom.get(source, source)
    why = why.replace(source, given)
    return why if why.startswith(given) else f"{given}: {why}"


def _preprocess(
    tree: Tree,
    skeletons: SkeletonTree,
    sources: Sequence[str],
    settings: Settings,
    progress: Progress,
    meanwhile: Callable[[], None] = lambda: None,
) -> tuple[dict[str, Records], dict[str, tuple[str, ...]]]:
    """Returns the records of each of `sources`, and the tree's sets of types.

    `meanwhile` is called while the preprocessor's processes run.
    """
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        types = [
            skeleton.make(tree.read(p), True, partial(tree.find, p)) for p in _types_files(tree)
        ]
        included = {i for t in types for i in t.includes}
        skeletons.write(folder, skeletons.closure(*sources, *included))
        (folder / _TYPES_SOURCE).write_text("\n".join(t.text for t in types), encoding="utf-8")
        batches = [sources[i : i + _BATCH] for i in range(0, len(sources), _BATCH)]
        found: dict[str, Records] = {}
        # One more than there are processors: while one's output is read here, the others go on.
        with ThreadPoolExecutor(1 + max(2, os.cpu_count() or 2)) as pool:
            sets = pool.submit(
                preprocess.run, settings.compiler, settings.defines, folder, [_TYPES_SOURCE]
            )

            def work(batch: Sequence[str]) -> dict[str, Records]:
                text = preprocess.run(settings.compiler, settings.defines, folder, batch)
                try:
                    return records.parse(text)
                except records.ParseError as error:
                    if len(batch) == 1:
                        raise InvalidInput(_in_source(batch[0], tree, str(error))) from None
                # One by one: that tells in which.
                return {source: work([source])[source] for source in batch}

            done = 0
            parts = pool.map(work, batches)
            meanwhile()
            for batch, part in zip(batches, parts, strict=True):
                done += len(batch)
                progress("reading registrations", done, len(sources))
                found.update(part)
            return found, resolve.type_sets(sets.result())


def _is_candidate(tree: Tree, texts: Texts, path: str) -> bool:
    text = texts[path]
    if _CANDIDATE.search(text):
        return True
    return any(tree.find(path, written) for written in _INCLUDES_SOURCE.findall(text))


def _constants(
    names: Iterable[str], texts: Texts, digests: Mapping[str, str], memo: Memo
) -> dict[str, dict[str, str]]:
    """Returns what values.constants does, by what is known of the files that did not change."""
    wanted = sorted(names)
    asked = cache.digest(wanted)
    table: dict[str, dict[str, str]] = {}
    for path, digest in digests.items():

        def make(path: str = path) -> dict[str, str]:
            found = values.constants(wanted, {path: texts[path]})
            return {name: places[path] for name, places in found.items()}

        for name, value in memo.get("constants", path, digest + asked, make).items():
            table.setdefault(name, {})[path] = value
    return table


def _scan(
    tree: Tree,
    texts: Texts,
    digests: Mapping[str, str],
    settings: Settings,
    facts: TensorflowFacts,
    progress: Progress,
) -> KernelIndex:
    pack = cache.digest(
        [*settings.defines, _compiler_stamp(settings.compiler), cache.code_digest()]
    )
    memo = Memo(cache.digest([pack, *sorted(digests)]))
    sources = [
        s
        for s in tree.sources
        if memo.get("candidate", s, digests[s], partial(_is_candidate, tree, texts, s))
    ]
    progress("making skeletons of headers", 0, len(sources))
    skeletons = SkeletonTree(tree, texts, digests, memo)
    keys = {s: skeletons.digest(s) for s in sources}
    kept = cache.load_records(pack)
    missing = [s for s in sources if keys[s] not in kept]
    release = known.nearest(facts.version)
    helping = HelperSearch(tree.root, release, texts, digests, memo)
    fresh, sets = _preprocess(tree, skeletons, missing, settings, progress, helping.look)
    rows = {keys[s]: kept[keys[s]] for s in sources if keys[s] in kept}
    rows.update({keys[s]: cache.records_to_json(fresh[s]) for s in missing})
    if missing:
        cache.save_records(pack, rows)
    everything = [
        fresh[s] if s in fresh else cache.records_from_json(rows[keys[s]]) for s in sources
    ]
    progress("working out what they mean", len(sources), len(sources))
    table = _constants(resolve.expressions(everything), texts, digests, memo)
    resolver = values.Resolver(table)
    registrations, ops, gradients, unresolved = resolve.resolve(everything, resolver, sets)
    if tree.custom:
        by_source = dict(zip(sources, everything, strict=True))
        mine = [by_source[s] for s in sorted(tree.custom) if s in by_source]
        stock = [r for s, r in by_source.items() if s not in tree.custom]
        kernels, definitions, _, _ = resolve.resolve(stock, resolver, sets)
        custom.refuse_duplicates(
            custom.resolved(mine, tree, resolver, sets),
            {op.name: op for op in definitions}.get,
            lambda op: [kernel for kernel in kernels if kernel.op == op],
        )
    units = sorted({r.file for r in registrations} | {o.file for o in ops})
    helpers = helping.found(units)
    memo.save()
    return KernelIndex(
        facts,
        custom.as_given(registrations, tree),
        custom.as_given(ops, tree),
        tuple(with_ops(gradients, texts, {o.name for o in ops})),
        helpers,
        tuple(unresolved),
    )


def _digests(tree: Tree, texts: Texts, seen_key: str) -> dict[str, str]:
    """Returns a digest of each file's text: that of the last run where its time stamp and size are the same."""
    memo = Memo(seen_key)
    found: dict[str, str] = {}
    for path, (_, stat) in sorted(tree.files.items()):

        def make(path: str = path) -> str:
            return cache.digest([texts[path]])

        found[path] = memo.get("digest", path, f"{stat.size} {stat.mtime_ns}", make)
    memo.save()
    return found


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
    Raises InvalidInput where the tree or a source can't be read.
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
    texts = Texts(tree)
    digests = _digests(tree, texts, seen_key)
    code = [
        path
        for path in digests
        if path.startswith(("tensorflow/", "tsl/", "third_party/"))
        and not path.endswith(("BUILD", "BUILD.bazel", ".bzl", ".upstream"))
    ]
    sha = cache.digest(part for p in code for part in (p, digests[p]))
    index_key = cache.digest([*common, *(part for p in digests for part in (p, digests[p]))])
    result = cache.read("index", index_key)
    if result is None:
        facts = TensorflowFacts(trees.version(tensorflow), sha, tuple(sorted(settings.defines)))
        result = _scan(tree, texts, digests, settings, facts, progress).to_json()
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
    InvalidInput where the tree is another than the index's or a source can't be read.
    """
    tree = trees.load(tensorflow, custom_ops)
    version = trees.version(tensorflow)
    if version != index.tensorflow.version:
        raise InvalidInput(
            f"{tensorflow}: TensorFlow {version}, but the index is of {index.tensorflow.version}: give the same"
        )
    sources = sorted(tree.custom)
    texts = Texts(tree)
    skeletons = SkeletonTree(tree, texts, {}, Memo())
    found, sets = _preprocess(tree, skeletons, sources, settings, progress)
    places = [*texts, *(p for p in _CONSTANTS_OF_CUSTOM_OPS if p in tree.files)]
    names = resolve.expressions(found[s] for s in sources)
    resolver = values.Resolver(values.constants(names, {p: texts[p] for p in places}))
    own = custom.resolved((found[s] for s in sources), tree, resolver, sets)
    custom.refuse_duplicates(own, index.op, index.registrations)
    for source in own:
        index = index.extended(source.kernels, source.ops, source.unresolved)
    return index
