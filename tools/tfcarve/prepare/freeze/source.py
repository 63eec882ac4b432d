"""Determines the kind of a model to freeze, without TensorFlow."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from tfcarve.errors import InvalidInput
from tfcarve.models import (
    checkpoint_files,
    graph_text,
    keras,
    memmapped,
    meta_graph,
    other_formats,
    saved_model_folder,
    text_format,
)
from tfcarve.models.mapped_file import mapped
from tfcarve.models.saved_model_folder import GRAPH_FILES
from tfcarve.prepare.freeze.request import DEFAULTS, Kind, Options, Request
from tfcarve.releases.release import Release

# Suffixes of models without a graph to freeze.
NO_GRAPH = (".tflite", ".json", ".yaml", ".yml")
SOURCES = "a SavedModel's directory, .keras, .h5, .pb, .pbtxt or .meta"


def _directory(path: Path) -> tuple[Kind, bool, Path]:
    file = saved_model_folder.graph_file(path)
    mapped(file)  # reports a file that is something else
    return "saved_model", graph_text.has_name(file), path


def _text_kind(path: Path) -> tuple[Kind, bool, Path]:
    try:
        found = graph_text.kind_of(mapped(path))
    except text_format.TextError as error:
        raise InvalidInput(f"{path}: {error}") from None
    if found == "saved_model":
        return _saved_model_file(path)
    return ("meta_graph" if found == "meta_graph" else "graphdef"), True, path


def _saved_model_file(path: Path) -> tuple[Kind, bool, Path]:
    if path.name not in GRAPH_FILES:
        raise InvalidInput(
            f"{path}: is a SavedModel, but is not named {GRAPH_FILES[0]}: pass the SavedModel's directory"
        )
    return _directory(path.parent)


def _kind(path: Path) -> tuple[Kind, bool, Path]:
    """Returns the kind of a source, whether it is text, and its path."""
    if path.is_dir():
        return _directory(path)
    data = mapped(path)
    suffix = path.suffix.lower()
    if suffix in NO_GRAPH:
        raise InvalidInput(f"{path}: {suffix} files contain no graph to freeze: expected {SOURCES}")
    if suffix in keras.SUFFIXES:
        return "keras", False, path
    if graph_text.has_name(path):
        return _text_kind(path)
    if suffix == ".meta":
        return "meta_graph", False, path
    if meta_graph.is_saved_model(data):
        return _saved_model_file(path)
    if memmapped.is_package(data):
        raise InvalidInput(f"{path}: {memmapped.NOT_A_GRAPH}")
    return "graphdef", False, path


def kind(path: Path) -> Kind:
    """Returns the kind of a model; raises InvalidInput if it cannot be frozen."""
    return _kind(path)[0]


def require_signatures(path: Path, options: Options) -> None:
    """Raises InvalidInput if the options select a signature or tags of a GraphDef, which has neither."""
    if kind(path) != "graphdef":
        return
    for option, value, default in (
        ("--signature", options.signature, DEFAULTS.signature),
        ("--tags", options.tags, DEFAULTS.tags),
    ):
        if value != default:
            raise InvalidInput(
                f"{path}: is a GraphDef, which has no signatures and no tags: remove {option}"
            )


def _check_options(path: Path, found: Kind, options: Options) -> None:
    if found in ("saved_model", "keras") and options.checkpoint:
        raise InvalidInput(f"{path}: already contains its variables: remove --checkpoint")
    if options.custom_objects and found != "keras":
        raise InvalidInput(f"{path}: is not a Keras file: remove --custom-objects")
    if options.moving_averages and not options.checkpoint:
        raise InvalidInput(
            "--moving-averages requires --checkpoint, which contains the moving averages"
        )
    if found == "graphdef" and not options.outputs:
        for option, value in (
            ("--checkpoint", options.checkpoint),
            ("--inputs", options.inputs),
            ("--lower-control-flow", options.lower_control_flow),
            ("--unroll", options.unroll),
            ("--constant", options.constants),
            ("--assertions", options.assertions != DEFAULTS.assertions),
        ):
            if value:
                raise InvalidInput(
                    f"{path}: {option} requires --outputs: a GraphDef does not name its outputs"
                )


def request(path: Path, release: Release, options: Options) -> Request:
    """Returns the request to freeze the model at `path` for a release.

    Raises InvalidInput if it does not exist, is of a kind that cannot be frozen, the options do not apply to it, there is no
    such checkpoint, or a file of the model or checkpoint is a Git LFS pointer.
    """
    found, text, real = _kind(path)
    _check_options(path, found, options)
    if options.checkpoint:
        prefix = checkpoint_files.prefix(Path(options.checkpoint))
        options = structs.replace(options, checkpoint=str(prefix))
    reader = keras.reader(path, options.custom_objects) if found == "keras" else None
    wanted = Request(
        path=str(real.absolute()),
        name=str(path),
        kind=found,
        release=release.name,
        text=text,
        options=options,
        keras=reader,
    )
    for file in files(wanted):
        other_formats.require_no_lfs_pointer(file)
    return wanted


def files(wanted: Request) -> Iterator[Path]:
    """Yields the files of a source and its checkpoint."""
    path = Path(wanted.path)
    yield from (p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    if wanted.options.checkpoint:
        yield from checkpoint_files.files(Path(wanted.options.checkpoint))


def size(wanted: Request) -> int:
    """Returns the bytes of the files of a source and its checkpoint."""
    return sum(path.stat().st_size for path in files(wanted))
