"""The symbols that apps bind to: the C interface of carved libraries."""

import re

# tfcarve's C API, the interface of a Flex delegate, and what the Java virtual machine looks up.
_PUBLIC = re.compile(
    r"tfcarve_|TF_AcquireFlexDelegate$|tflite_plugin_(?:create|destroy)_delegate$|Java_|JNI_On(?:Load|Unload)$"
)


def is_public(name: str) -> bool:
    """Returns whether a function, by its C name, belongs to the interface."""
    return bool(_PUBLIC.match(name))
