"""Ops lists: ops and kernels requested by name.

JSON, in TensorFlow's own form: `[["MatMul", "MatMulOp<CPUDevice, float>"], ["Add", null]]`.
YAML: `ops` (names, or mappings of op, types, classes), `dtypes` (for ops without types) and `training` (true: the
selection must be trainable).
"""

from dataclasses import dataclass
from pathlib import Path

from msgspec import UNSET, UnsetType

from tfcarve import dtypes, json_codec
from tfcarve.errors import InvalidInput
from tfcarve.json_codec import JsonDocument
from tfcarve.models import yaml_form
from tfcarve.models.graph_def import is_op_name
from tfcarve.models.node_use import RequestedOp
from tfcarve.models.wire import Buffer

# Each limit is five times the size of a list of all ops and kernel classes of TensorFlow.
_MAX_BYTES = 4 << 20
_MAX_ENTRIES = 50_000


@dataclass(frozen=True, slots=True)
class OpsList:
    """The ops that a list requests, and whether it requests gradients and optimizers too."""

    requests: tuple[RequestedOp, ...]
    training: bool = False


class _Op(JsonDocument, frozen=True):
    op: str
    types: tuple[str, ...] | UnsetType = UNSET
    classes: tuple[str, ...] = ()


class _YamlList(JsonDocument, frozen=True):
    ops: tuple[str | _Op, ...] = ()
    dtypes: tuple[str, ...] = ()
    training: bool = False


def _op_name(name: str, where: str) -> str:
    if not is_op_name(name):
        raise InvalidInput(f"{where}: {name!r:.60} is not an op name")
    return name


def _types(names: tuple[str, ...], where: str) -> tuple[str, ...]:
    types = []
    for name in names:
        dtype = dtypes.from_spec(name)
        if dtype is None:
            raise InvalidInput(
                f"{where}: unknown data type {name!r:.40}: known are {', '.join(dtypes.NUMBER_OF)}"
            )
        types.append(dtype)
    return tuple(types)


def from_json(data: bytes, where: str) -> OpsList:
    """Reads TensorFlow's JSON form.

    Args:
      data: untrusted.
      where: the list's name, for messages.

    Raises:
      InvalidInput: it is not such a list.
    """
    rows = json_codec.decode(data, list[tuple[str, str | None]], where)
    if not rows:
        raise InvalidInput(
            f'{where}: is empty: a list of ["op", "kernel class" or null] was expected'
        )
    if len(rows) > _MAX_ENTRIES:
        raise InvalidInput(f"{where}: {len(rows)} entries: at most {_MAX_ENTRIES} are allowed")
    requests = [
        RequestedOp(_op_name(op, f"{where}: entry {number}"), clazz or "")
        for number, (op, clazz) in enumerate(rows)
    ]
    return OpsList(tuple(dict.fromkeys(requests)))


def from_yaml(data: bytes, where: str) -> OpsList:
    """Reads the YAML form, with the arguments and errors of from_json."""
    try:
        document = yaml_form.load(data.decode())
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{where}: byte {error.start}: not UTF-8 text") from None
    except yaml_form.YamlError as error:
        raise InvalidInput(f"{where}: {error}") from None
    found = json_codec.convert(document, _YamlList, where)
    if not (found.ops or found.training):
        raise InvalidInput(f"{where}: a list `ops` was expected")
    common = _types(found.dtypes, f"{where}: dtypes")
    requests: list[RequestedOp] = []
    for number, entry in enumerate(found.ops):
        place = f"{where}: entry {number} of ops"
        row = _Op(entry) if isinstance(entry, str) else entry
        op = _op_name(row.op, place)
        requests += [RequestedOp(op, clazz) for clazz in row.classes]
        if not row.classes or row.types is not UNSET:
            types = common if row.types is UNSET else _types(row.types, place)
            requests.append(RequestedOp(op, None, types))
    return OpsList(tuple(dict.fromkeys(requests)), found.training)


def from_bytes(data: Buffer, file: Path) -> OpsList:
    """Reads the ops list in `file`, whose content is `data`, in the form that its suffix names.

    Raises:
      InvalidInput: the content is not an ops list, or the file is too large.
    """
    if len(data) > _MAX_BYTES:
        raise InvalidInput(
            f"{file}: {len(data)} bytes: an ops list has at most {_MAX_BYTES}: pass the model itself"
        )
    parse = from_json if file.suffix.lower() == ".json" else from_yaml
    return parse(data[:], str(file))
