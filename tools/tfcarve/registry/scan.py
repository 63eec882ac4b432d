"""Creates the kernel index of a source tree, or takes it from the cache: the entry point of this package."""

from collections.abc import Iterable
from pathlib import Path

from tfcarve.errors import InvalidInput
from tfcarve.progress import Progress
from tfcarve.registry import custom, pipeline, resolve, store, values
from tfcarve.registry import tree as trees
from tfcarve.registry.index import KernelIndex, TensorflowFacts
from tfcarve.registry.memo import Memo
from tfcarve.registry.settings import Settings
from tfcarve.registry.skeleton_tree import SkeletonTree
from tfcarve.registry.store import Store
from tfcarve.registry.tree import Texts
from tfcarve.releases import tree_version
from tfcarve.releases.release import Release


def _quiet(what: str, done: int, total: int) -> None:
    del what, done, total


def make_index(
    tensorflow: Path,
    release: Release,
    settings: Settings,
    custom_ops: Iterable[Path] = (),
    progress: Progress = _quiet,
) -> bytes:
    """Creates the index of a source tree, or takes it from the cache.

    Args:
      tensorflow: the folder that contains `tensorflow/`.
      release: its release, or the default release if tfcarve does not build the tree's release.
      settings: the compile's defines, the preprocessor, the target.
      custom_ops: sources outside of the tree that register ops or kernels.
      progress: called with the current step, how many items are done, and how many there are.

    Returns:
      The content of index.json.

    Raises:
      InvalidInput: the tree or a source cannot be read.
    """
    tree = trees.load(tensorflow, release, custom_ops)
    stored = Store(tree, settings)
    data = stored.unchanged()
    if data is not None:
        return data
    progress("reading the tree", 0, len(tree.files))
    texts = Texts(tree)
    digests = store.digests(tree, texts.__getitem__)
    data = stored.find(digests)
    if data is None:
        facts = TensorflowFacts(
            tree_version.version(tensorflow),
            store.tree_sha256(digests),
            tuple(sorted(settings.defines)),
            settings.target.name,
        )
        data = pipeline.build(tree, texts, digests, settings, facts, progress).to_json()
        stored.save(digests, data)
    return data


def require_tree(facts: TensorflowFacts, tensorflow: Path, release: Release, what: str) -> None:
    """Checks that a document was created from a source tree.

    Args:
      facts: the TensorFlow that the document states.
      tensorflow: the folder that contains `tensorflow/`.
      release: its release, or the default release if tfcarve does not build the tree's release.
      what: the document's kind, for messages.

    Raises:
      InvalidInput: the tree is different.
    """
    tree = trees.load(tensorflow, release)
    _require_same(
        facts, tree_version.version(tensorflow), store.digests(tree, tree.read), tensorflow, what
    )


def _require_same(
    facts: TensorflowFacts, version: str, digests: dict[str, str], tensorflow: Path, what: str
) -> None:
    if version != facts.version:
        raise InvalidInput(
            f"{tensorflow}: TensorFlow {version}, but the {what} is for {facts.version}: use the tree of the {what}"
        )
    sha256 = store.tree_sha256(digests)
    if sha256 != facts.tree_sha256:
        raise InvalidInput(
            f"{tensorflow}: the {what} was created from other sources "
            f"(tree_sha256 {sha256:.12}, not {facts.tree_sha256:.12}): use the tree of the {what}"
        )


def with_custom_ops(
    index: KernelIndex,
    tensorflow: Path,
    release: Release,
    settings: Settings,
    custom_ops: Iterable[Path],
    progress: Progress = _quiet,
) -> KernelIndex:
    """Returns `index` with the registrations of custom op sources added.

    Only these sources are preprocessed; the tree provides the macros.

    Raises:
      InvalidInput: the index is for another tree or another target, or a source cannot be read.
    """
    if settings.target.name != index.tensorflow.target:
        raise InvalidInput(
            f"the index is for the target {index.tensorflow.target or 'host'}, not for "
            f"{settings.target.name or 'host'}: preprocess the custom ops for the same target"
        )
    tree = trees.load(tensorflow, release, custom_ops)
    digests = store.digests(tree, tree.read)
    _require_same(index.tensorflow, tree_version.version(tensorflow), digests, tensorflow, "index")
    texts = Texts(tree)
    sources = sorted(tree.custom)
    skeletons = SkeletonTree(tree, texts, {}, Memo())
    found, sets = pipeline.read_records(tree, skeletons, sources, settings, progress)
    places = [*texts, *tree.facts.index.constant_files]
    names = resolve.expressions(found[s] for s in sources)
    resolver = values.Resolver(values.constants(names, {p: texts[p] for p in places}))
    own = custom.resolved((found[s] for s in sources), tree, resolver, sets)
    custom.refuse_duplicates(own, index.op, index.registrations_of)
    for source in own:
        index = index.extended(source.kernels, source.ops, source.unresolved)
    return index
