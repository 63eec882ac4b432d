"""The symbols that apps bind to: the C interface of carved libraries."""

import re
from enum import Enum


class Kind(Enum):
    """The kinds of carved libraries."""

    SESSION = "session"
    FLEX = "flex"


# The prefix of functions that the Java virtual machine looks up.
_JAVA = r"Java_|JNI_On(?:Load|Unload)$"
# tfcarve's C API, and the interface of a Flex delegate.
_PUBLIC = {
    Kind.SESSION: re.compile(f"tfcarve_|{_JAVA}"),
    Kind.FLEX: re.compile(
        f"TF_AcquireFlexDelegate$|tflite_plugin_(?:create|destroy)_delegate$|{_JAVA}"
    ),
}


def is_public(name: str, kind: Kind) -> bool:
    """Returns whether a function, by its C name, belongs to the interface of a kind of library."""
    return bool(_PUBLIC[kind].match(name))
