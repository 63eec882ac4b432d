"""From a source tree to its index: skeletons, preprocessor, records, values."""

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.progress import Progress
from tfcarve.registry import (
    cache,
    custom,
    preprocess,
    records,
    records_cache,
    resolve,
    skeleton,
    values,
)
from tfcarve.registry.gradients import with_ops
from tfcarve.registry.helpers import HelperSearch
from tfcarve.registry.index import KernelIndex, TensorflowFacts
from tfcarve.registry.memo import Memo
from tfcarve.registry.records import Records
from tfcarve.registry.settings import Settings
from tfcarve.registry.skeleton_tree import SkeletonTree
from tfcarve.registry.tree import Texts, Tree

# A source without any of these words registers nothing, unless it includes a source with one: all registration
# macros have REGISTER in their name or are passed to TF_CALL_…. XLA and Grappler have registries of their own;
# the preprocessor takes longer to start than to read a source, so their sources are skipped.
_CANDIDATE = re.compile(
    r"REGISTER(?!_XLA_|_GRAPH_OPTIMIZER)|TF_CALL_|TF_NewKernelBuilder|TF_NewOpDefinitionBuilder"
)
_INCLUDES_SOURCE = re.compile(r'#\s*include\s+"([^"]+\.(?:cc|inc))"')
_BATCH = 16
_TYPES_SOURCE = "tfcarve_types.cc"


def read_records(
    tree: Tree,
    skeletons: SkeletonTree,
    sources: Sequence[str],
    settings: Settings,
    progress: Progress,
    meanwhile: Callable[[], None] = lambda: None,
) -> tuple[dict[str, Records], dict[str, tuple[str, ...]]]:
    """Preprocesses sources.

    Args:
      tree: the source tree.
      skeletons: the skeletons of its files.
      sources: paths in the tree.
      settings: how to preprocess.
      progress: called after each batch of sources.
      meanwhile: called while the preprocessor's processes run.

    Returns:
      The records of each source, and the tree's sets of types.

    Raises:
      InvalidInput: the preprocessor fails, or a registration cannot be parsed.
    """
    with tempfile.TemporaryDirectory(prefix="tfcarve-") as name:
        folder = Path(name)
        types = [
            skeleton.make(tree.read(p), True, partial(tree.find, p))
            for p in tree.facts.index.types_files
        ]
        included = {i for t in types for i in t.includes}
        skeletons.write(folder, skeletons.closure(*sources, *included))
        (folder / _TYPES_SOURCE).write_text("\n".join(t.text for t in types), encoding="utf-8")
        (folder / preprocess.TARGET_NAME).write_text(
            settings.target.text(settings.defines), encoding="utf-8"
        )
        batches = [sources[i : i + _BATCH] for i in range(0, len(sources), _BATCH)]
        found: dict[str, Records] = {}
        # One more than there are processors: while this thread parses an output, the others run.
        with ThreadPoolExecutor(1 + max(2, os.cpu_count() or 2)) as pool:
            sets = pool.submit(preprocess.run, settings, folder, [_TYPES_SOURCE])
            parts = pool.map(partial(_batch_records, tree, settings, folder), batches)
            meanwhile()
            for part in parts:
                found.update(part)
                progress("reading registrations", len(found), len(sources))
            return found, resolve.type_sets(sets.result())


def _batch_records(
    tree: Tree, settings: Settings, folder: Path, batch: Sequence[str]
) -> dict[str, Records]:
    text = preprocess.run(settings, folder, batch)
    try:
        return records.parse(text)
    except records.ParseError as error:
        if len(batch) == 1:
            raise InvalidInput(_in_source(batch[0], tree, str(error))) from None
    # One by one, to find the source.
    return {source: _batch_records(tree, settings, folder, [source])[source] for source in batch}


def _in_source(source: str, tree: Tree, why: str) -> str:
    """Returns a message about a source; `why` may name the place in the source."""
    path = tree.custom.get(source, source)
    why = why.replace(source, path)
    return why if why.startswith(path) else f"{path}: {why}"


def _is_candidate(tree: Tree, texts: Texts, path: str) -> bool:
    text = texts[path]
    if _CANDIDATE.search(text):
        return True
    return any(tree.find(path, written) for written in _INCLUDES_SOURCE.findall(text))


def _constants(
    names: Iterable[str], texts: Texts, digests: Mapping[str, str], memo: Memo
) -> dict[str, dict[str, str]]:
    """Returns the definitions of constants, as values.constants does; reads only files that changed."""
    wanted = sorted(names)
    names_digest = cache.digest(wanted)
    table: dict[str, dict[str, str]] = {}
    for path, digest in digests.items():

        def search(path: str = path) -> dict[str, str]:
            found = values.constants(wanted, {path: texts[path]})
            return {name: places[path] for name, places in found.items()}

        for name, value in memo.get("constants", path, digest + names_digest, search).items():
            table.setdefault(name, {})[path] = value
    return table


def build(
    tree: Tree,
    texts: Texts,
    digests: Mapping[str, str],
    settings: Settings,
    facts: TensorflowFacts,
    progress: Progress,
) -> KernelIndex:
    """Builds the index of a tree.

    Args:
      tree: the source tree.
      texts: its files' texts.
      digests: a digest of each text.
      settings: how to preprocess.
      facts: the TensorFlow of the index.
      progress: called for each step.

    Raises:
      InvalidInput: a source cannot be read, preprocessed or parsed, or a custom op is registered twice.
    """
    pack = cache.digest([*settings.key(), cache.code_digest()])
    memo = Memo(cache.digest([pack, *sorted(digests)]))
    sources = [
        s
        for s in tree.sources
        if memo.get("candidate", s, digests[s], partial(_is_candidate, tree, texts, s))
    ]
    progress("reducing headers to skeletons", 0, len(sources))
    helper_search = HelperSearch(tree.root, facts.version, tree.release, texts, digests, memo)
    found, sets = _cached_records(
        tree,
        SkeletonTree(tree, texts, digests, memo),
        sources,
        settings,
        pack,
        progress,
        helper_search.scan,
    )
    progress("evaluating registrations", len(sources), len(sources))
    table = _constants(resolve.expressions(found.values()), texts, digests, memo)
    resolver = values.Resolver(table)
    registrations, ops, gradients, unresolved = resolve.resolve(found.values(), resolver, sets)
    if tree.custom:
        custom.refuse_duplicates_in(found, tree, resolver, sets)
    units = sorted({r.file for r in registrations} | {o.file for o in ops})
    helpers = helper_search.found(units)
    memo.save()
    return KernelIndex(
        facts,
        custom.as_given(registrations, tree),
        custom.as_given(ops, tree),
        tuple(with_ops(gradients, texts, {o.name for o in ops})),
        helpers,
        tuple(unresolved),
    )


def _cached_records(
    tree: Tree,
    skeletons: SkeletonTree,
    sources: Sequence[str],
    settings: Settings,
    pack: str,
    progress: Progress,
    meanwhile: Callable[[], None],
) -> tuple[dict[str, Records], dict[str, tuple[str, ...]]]:
    """Returns records and sets of types, as read_records does; preprocesses only sources that changed."""
    keys = {s: skeletons.digest(s) for s in sources}
    cached = records_cache.load(pack)
    changed = [s for s in sources if keys[s] not in cached]
    fresh, sets = read_records(tree, skeletons, changed, settings, progress, meanwhile)
    found = {s: fresh[s] if s in fresh else cached[keys[s]] for s in sources}
    if changed:
        records_cache.save(pack, {keys[s]: found[s] for s in sources})
    return found, sets
