"""`tfcarve build`: a library for models, without a Bazel workspace of the user's."""

import argparse
import platform as machine
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tfcarve.commands import common
from tfcarve.commands.freeze_options import names
from tfcarve.commands.options import add_custom_op, output_folder, tolerance
from tfcarve.errors import InvalidInput
from tfcarve.module_root import module_root
from tfcarve.releases import known

if TYPE_CHECKING:
    from tfcarve.app.build import Built
    from tfcarve.app.project import Project

NAME = "build"
HELP = "builds a library that runs models, for one or more platforms, and runs the models in it"

PLATFORMS = (
    *("android_arm64", "android_armv7", "android_x86", "android_x86_64"),
    *("ios_arm64", "ios_sim_arm64", "ios_sim_x86_64"),
    *("linux_arm64", "linux_armv7", "linux_x86_64"),
)
PRESETS = ("mobile", "weights16", "weights8", "int8", "none")
_DEFAULT_PRESET = "mobile"
_HOSTS = {"x86_64": "linux_x86_64", "aarch64": "linux_arm64"}
# Their outputs differ from the model's by more than the default tolerance.
_INEXACT = ("weights16", "weights8", "int8")
_SUFFIXES = (".pb", ".pbtxt", ".pb.txt", ".tflite")
_COLUMNS = ("platform", "library", "bytes", "model", "difference", "CPU ms")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "models",
        type=Path,
        nargs="+",
        metavar="MODEL",
        help="a frozen GraphDef .pb, a Keras file, the folder of a SavedModel, or TensorFlow Lite models .tflite, for which the "
        "library is a Flex delegate",
    )
    parser.add_argument(
        "--platform",
        type=names,
        default=(),
        metavar="A,B",
        help=f"the platforms, separated by commas: {', '.join(PLATFORMS)} (default: this machine)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=output_folder,
        metavar="DIR",
        help="gets a folder for each platform",
    )
    preparing = parser.add_argument_group("preparing")
    preparing.add_argument(
        "--preset",
        choices=PRESETS,
        help="the transforms of tf_prepared_model (default: mobile; with --custom-op none, which only freezes models)",
    )
    preparing.add_argument(
        "--fuse", action="store_true", help="fuses ops, as tf_prepared_model does"
    )
    preparing.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="[MODEL=]FILE.npz",
        help="an array for each input of a model, by name; may be repeated. The models run on it, and int8 and weights8 are "
        "calibrated with it (default: random values)",
    )
    preparing.add_argument(
        "--tolerance",
        type=tolerance,
        metavar="T",
        help="the largest accepted difference of floating-point outputs, times 1 + |expected|; weights16, weights8 and int8 "
        "require it (default: 1e-5)",
    )
    preparing.add_argument("--signature", default="", help="of a SavedModel")
    for option in ("inputs", "outputs"):
        preparing.add_argument(
            f"--{option}", type=names, default=(), metavar="A,B", help=f"{option} of a model"
        )
    add_custom_op(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="prints what a build installs, downloads and runs"
    )
    parser.add_argument(
        "--eject",
        type=output_folder,
        metavar="DIR",
        help="writes the Bazel workspace, and builds nothing",
    )


def run(arguments: argparse.Namespace) -> int:
    """Builds the libraries, or writes what it would do."""
    project = _project(arguments)
    from tfcarve.app import build, folder

    if arguments.eject:
        _require_new(arguments.eject)
        folder.write(project, arguments.eject)
        print(f"{arguments.eject}: build it with {project.module / 'bazelw'} build //:release")
        return 0
    if not arguments.dry_run:
        if arguments.output is None:
            raise InvalidInput("pass -o DIR, the folder for the libraries")
        build.require_own(project, arguments.output)
    _print_plan(project)
    if arguments.dry_run:
        for name, text in project.texts().items():
            print(f"\n# {name}\n{text}", end="")
        return 0
    built = build.build(project, arguments.output, progress=sys.stderr.isatty())
    common.table(_rows(built), _COLUMNS, False)
    for one in built:
        if one.not_run:
            print(f"{one.platform}: no model was run: {one.not_run}")
    print(_how_to_link(project, built))
    return 0


def _require_new(place: Path) -> None:
    try:
        used = place.exists() and any(place.iterdir())
    except OSError as error:
        raise InvalidInput(f"{place}: is no folder: {error.strerror}") from None
    if used:
        raise InvalidInput(f"{place}: is not empty: pass a new folder")


def _require_model(path: Path) -> None:
    """Raises InvalidInput if a file is no model that the rules build a library for."""
    from tfcarve.models import keras, read

    if not path.exists():
        raise InvalidInput(f"{path}: no such file or folder")
    if path.suffix.lower() in keras.SUFFIXES:
        return
    read.read(path)
    if not read.is_saved_model(path) and not path.name.endswith(_SUFFIXES):
        raise InvalidInput(
            f"{path}: pass a GraphDef ({', '.join(_SUFFIXES[:-1])}), a Keras file, the folder of a SavedModel or a .tflite"
        )


def _project(arguments: argparse.Namespace) -> "Project":
    from tfcarve.app.project import NO_PRESET, Preparation, Project, models

    platforms = arguments.platform or (_host(),)
    for name in platforms:
        if name not in PLATFORMS:
            raise InvalidInput(
                f"--platform {name}: unknown; the platforms are: {', '.join(PLATFORMS)}"
            )
    for path in arguments.models:
        _require_model(path)
    for path in arguments.custom_op:
        if not path.is_file():
            raise InvalidInput(f"{path}: no such file")
    if len({path.name for path in arguments.custom_op}) < len(arguments.custom_op):
        raise InvalidInput("--custom-op: two files have the same name: rename one of them")
    found = models(arguments.models, _data(arguments.data, arguments.models))
    if len({model.is_lite for model in found}) > 1:
        raise InvalidInput(
            "TensorFlow Lite models need a Flex delegate, other models a library: build them separately"
        )
    if arguments.custom_op and arguments.preset not in (None, NO_PRESET):
        raise InvalidInput(
            f"--preset {arguments.preset}: full TensorFlow does not have the ops of --custom-op: remove the preset"
        )
    if arguments.preset in _INEXACT and arguments.tolerance is None:
        raise InvalidInput(
            f"--preset {arguments.preset} changes outputs: pass --tolerance, the difference that the app accepts, such as 0.02"
        )
    return Project(
        _module(),
        known.default_name(),
        tuple(platforms),
        found,
        Preparation(
            arguments.preset or (NO_PRESET if arguments.custom_op else _DEFAULT_PRESET),
            arguments.fuse,
            "" if arguments.tolerance is None else repr(arguments.tolerance),
            arguments.signature,
            arguments.inputs,
            arguments.outputs,
        ),
        tuple(arguments.custom_op),
    )


def _module() -> Path:
    """The root of tfcarve's Bazel module."""
    program = module_root() / "bazelw"
    if not program.is_file():
        raise InvalidInput(
            f"{program}: no such file: install tfcarve with pip, or run it in a checkout"
        )
    return program.resolve().parent


def _host() -> str:
    name = _HOSTS.get(machine.machine())
    if sys.platform != "linux" or name is None:
        raise InvalidInput("pass --platform: tfcarve has no library for this machine")
    return name


def _data(words: Sequence[str], sources: Sequence[Path]) -> dict[Path, Path]:
    """Returns the file with samples of each model that has one."""
    found = {}
    for word in words:
        model, equals, file = word.rpartition("=")
        if not equals and len(sources) > 1:
            raise InvalidInput(f"--data {word}: there are several models: pass MODEL=FILE.npz")
        source = Path(model) if equals else sources[0]
        if source not in sources:
            raise InvalidInput(f"--data {word}: {model!r} is none of the models")
        if not Path(file).is_file():
            raise InvalidInput(f"{file}: no such file")
        found[source] = Path(file)
    return found


def _print_plan(project: "Project") -> None:
    from tfcarve.app import plan

    for line in plan.lines(project):
        print(line, file=sys.stderr)


def _rows(built: Iterable["Built"]) -> list[dict[str, str]]:
    rows = []
    for one in built:
        size = {"library": str(one.library), "bytes": f"{one.library.stat().st_size:,}"}
        for name, checked in one.checked.items() or {"-": None}.items():
            row = {
                "platform": one.platform,
                **size,
                "model": name,
                "difference": "-",
                "CPU ms": "-",
            }
            if checked:
                row["difference"] = f"{checked.difference:.1e}"
                if checked.milliseconds is not None:
                    row["CPU ms"] = f"{checked.milliseconds:.3g}"
            rows.append(row)
    return rows


def _how_to_link(project: "Project", built: Sequence["Built"]) -> str:
    folder = built[0].library.parent
    if project.is_delegate:
        return f"to use the delegate: tf.lite.experimental.load_delegate({str(built[0].library)!r})"
    return (
        f"to link it: c++ app.cc -I{folder}/include -L{folder} -ltensorflow-core; for a static library the flags of "
        f"{folder}/link_flags.txt; CMake: -DTensorFlowCore_DIR={folder}"
    )
