"""A GraphDef without the values of its constants, for programs that only show it. Pure.

Source of the field numbers: tensorflow/core/framework/{graph,function,node_def,attr_value,tensor}.proto.
"""

from tfcarve.models import wire
from tfcarve.models.wire import BYTES, Buffer, Field
from tfcarve.models.wire_write import bytes_field, copied

_NODE, _LIBRARY, _FUNCTION = 1, 2, 1
_NODE_IN_FUNCTION = 3
_ATTR, _VALUE, _TENSOR = 5, 2, 8
_TYPE, _SHAPE = 1, 2


def _rewritten(data: Buffer, field: Field, *path: int) -> bytes:
    """Returns a field; of the tensors that `path` leads to, only their type and shape."""
    number, kind, a, b = field
    if kind != BYTES:
        return copied(data, [field])
    if not path:
        content = copied(data, (f for f in wire.fields(data, a, b) if f[0] in (_TYPE, _SHAPE)))
        return bytes_field(number, content)
    joined = bytearray()
    for f in wire.fields(data, a, b):
        joined += _rewritten(data, f, *path[1:]) if f[0] == path[0] else copied(data, [f])
    return bytes_field(number, joined)


def without_values(data: Buffer, place: int, end: int) -> bytes:
    """Returns the serialized GraphDef at data[place:end] without the values of tensors.

    Raises:
      wire.WireError: it is not a GraphDef.
    """
    of_node = (_ATTR, _VALUE, _TENSOR)
    of_library = (_FUNCTION, _NODE_IN_FUNCTION, *of_node)
    file_pass = wire.Pass(data)
    joined = bytearray()
    for field in wire.fields(data, place, end):
        if field[1] == BYTES:
            file_pass.at(field[2])
        if field[0] == _NODE:
            joined += _rewritten(data, field, *of_node)
        elif field[0] == _LIBRARY:
            joined += _rewritten(data, field, *of_library)
        else:
            joined += copied(data, [field])
    return bytes(joined)
