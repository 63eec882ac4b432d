"""The value of an attribute in a message of TensorFlow. Pure."""

from typing import Any

from tfcarve.models.attr_value import attr_value
from tfcarve.models.node_use import AttrValue

# AttrValue of tfcarve.prepare.graph.messages.
Message = Any


def value_of(message: Message) -> AttrValue:
    """Returns the value in an AttrValue message, with floats, which the readers of models skip."""
    if message.WhichOneof("value") == "f":
        return AttrValue("float", float(message.f))
    data = message.SerializeToString()
    return attr_value(data, 0, len(data))
